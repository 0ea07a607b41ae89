package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/placetop/placetop/storage/diskfile"
)

// EnvVars is the name of the cloud that only the OS_* variables describe, as
// openstacksdk names it.
const EnvVars = "envvars"

// description is what clouds.yaml, its secure.yaml and its profile, or the environment, say
// of a cloud.
type description struct {
	name   string
	where  string // path of clouds.yaml, or "the environment"
	values table
}

// table is a table of one of the files, with - in its keys as _. Its values are texts, as
// the file has them, lists and tables: what 1.10 means depends on the key.
type table map[string]any

// text returns the value of the first of keys that has one.
func (t table) text(keys ...string) string {
	for _, key := range keys {
		if s, ok := t[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// over returns t with what another table says instead.
//
// Source: openstacksdk/openstack/config/_util.py, merge_clouds.
func (t table) over(other table) table {
	out := maps.Clone(t)
	if out == nil {
		out = table{}
	}
	for key, value := range other {
		below, ok := out[key].(table)
		if above, also := value.(table); ok && also {
			value = below.over(above)
		}
		out[key] = value
	}
	return out
}

// jsonTable returns a value of JSON as it is in a table.
func jsonTable(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := table{}
		for key, each := range value {
			out[strings.ReplaceAll(key, "-", "_")] = jsonTable(each)
		}
		return out
	case []any:
		for i, each := range value {
			value[i] = jsonTable(each)
		}
		return value
	case nil:
		return ""
	default:
		return fmt.Sprint(value)
	}
}

// cloudsFile is a file of clouds.
type cloudsFile struct {
	path   string
	clouds map[string]any   // by their names, tables unless they are wrong
	faults map[string]error // of those that cannot be read
}

// readClouds reads the clouds below a key of the file at path. What is wrong with one of
// them spoils no other.
func readClouds(path, key string) (cloudsFile, error) {
	file := cloudsFile{path: path}
	text, err := diskfile.ReadText(path)
	if err != nil {
		return file, err
	}
	if strings.HasSuffix(path, ".json") {
		var of map[string]any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&of) == nil { // what is no JSON is told as what it is as YAML: with its line
			below, _ := of[key].(map[string]any)
			file.clouds = map[string]any{}
			for name, each := range below {
				file.clouds[name] = jsonTable(each)
			}
			return file, nil
		}
	}
	file.clouds, file.faults, err = parseClouds(text, key)
	if err != nil {
		return file, &ConfigError{Where: path, What: "it cannot be read: " + yamlFault(err), Hint: yamlHint}
	}
	return file, nil
}

// cloud returns what the file says of a cloud; nil if it says nothing.
func (f cloudsFile) cloud(name string) (table, error) {
	if err := f.faults[name]; err != nil {
		return nil, &ConfigError{Where: f.path, What: "cloud " + clip(name) + " cannot be read: " + yamlFault(err), Hint: yamlHint}
	}
	switch of := f.clouds[name].(type) {
	case table:
		if auth, ok := of["auth"]; ok && auth != "" {
			if _, ok := auth.(table); !ok {
				return nil, &ConfigError{Where: f.path, What: "auth of cloud " + clip(name) + " is not a table", Hint: "write auth_url and the others below it, indented"}
			}
		}
		for _, key := range textKeys() {
			if value, ok := of[key]; ok {
				if _, ok := value.(string); !ok {
					return nil, &ConfigError{Where: f.path, What: key + " of cloud " + clip(name) + " is not a text", Hint: "write a single value"}
				}
			}
		}
		return of, nil
	case nil:
		return nil, nil
	case string:
		if of == "" {
			return table{}, nil
		}
	}
	return nil, &ConfigError{Where: f.path, What: "cloud " + clip(name) + " is not a table", Hint: "write auth and the others below it, indented"}
}

// textKeys returns the keys of a cloud that are read as texts.
func textKeys() []string {
	out := []string{"auth_type", "auth_plugin", "profile", "cloud", "region_name", "interface", "endpoint_type", "cacert", "cert", "key", "verify", "insecure"}
	for _, service := range serviceNames() {
		for _, key := range serviceKeys() {
			out = append(out, service+"_"+key)
		}
	}
	return out
}

// serviceNames returns the services that keys of a cloud are about, as they begin.
func serviceNames() []string { return []string{"placement", "compute", "accelerator", "identity"} }

// names returns the names of the clouds, also of those that cannot be read.
func (f cloudsFile) names() []string {
	return slices.Sorted(maps.Keys(f.clouds))
}

// suffixes are those of the files, in order.
func suffixes() []string { return []string{".yaml", ".yml", ".json"} }

// folders returns where the files are looked for, in order.
//
// Source: openstacksdk/openstack/config/loader.py, CONFIG_SEARCH_PATH.
func folders() []string {
	out := []string{""}
	if folder, err := os.UserConfigDir(); err == nil {
		out = append(out, filepath.Join(folder, "openstack"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, ".config", "openstack"))
	}
	out = append(out, "/etc/xdg/openstack", "/etc/openstack")
	return slices.Compact(out)
}

// find returns the path of the first file with a name and one of the suffixes, "" if there
// is none, and where it looked.
func find(name string) (path, looked string) {
	for _, folder := range folders() {
		for _, suffix := range suffixes() {
			at := filepath.Join(folder, name+suffix)
			if _, err := os.Stat(at); err == nil {
				return at, ""
			}
		}
		looked += ", " + filepath.Join(folder, name+suffixes()[0])
	}
	return "", strings.TrimPrefix(looked, ", ") + " (or " + strings.Join(suffixes()[1:], ", ") + ")"
}

// cloudsPath returns the path of clouds.yaml, "" if there is none, and where it was looked
// for. One that OS_CLIENT_CONFIG_FILE names is the only one: another would have other clouds
// of the same names.
func cloudsPath() (path, looked string) {
	if path := os.Getenv("OS_CLIENT_CONFIG_FILE"); path != "" {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return "", path
		}
		return path, ""
	}
	return find("clouds")
}

// securePath returns the path of secure.yaml, "" if there is none: the one that
// OS_CLIENT_SECURE_FILE names, or that is beside clouds.yaml, or the first one.
func securePath(clouds string) string {
	if path := os.Getenv("OS_CLIENT_SECURE_FILE"); path != "" {
		return path
	}
	for _, suffix := range suffixes() {
		at := filepath.Join(filepath.Dir(clouds), "secure"+suffix)
		if _, err := os.Stat(at); err == nil {
			return at
		}
	}
	path, _ := find("secure")
	return path
}

// readError returns the error for a file that cannot be read; those about what is in it stay as
// they are.
func readError(path string, err error, hint string) error {
	if _, ok := err.(*ConfigError); ok || err == nil { //nolint:errorlint // readClouds returns it unwrapped
		return err
	}
	return &ConfigError{Where: path, What: "it cannot be read: " + clip(rootOf(err).Error()), Hint: hint}
}

// describe finds the description of a cloud: from its profile, clouds.yaml and secure.yaml,
// in this order, and after all of these what is said for its region.
//
// Source: openstacksdk/openstack/config/loader.py, OpenStackConfig, _get_base_cloud_config
// and get_one.
func describe(name string) (description, error) {
	if name == EnvVars {
		values, err := ofEnvironment()
		return description{name, "the environment", moveAuth(values)}, err
	}
	path, looked := cloudsPath()
	if path == "" {
		return description{}, &ConfigError{
			What: "no clouds.yaml found: looked for " + looked,
			Hint: "write one, set OS_CLIENT_CONFIG_FILE, or set the OS_* variables and open the cloud " + EnvVars,
		}
	}
	d := description{name: name, where: path}
	main, err := readClouds(path, cloudsKey)
	if err := readError(path, err, "make it readable, or set OS_CLIENT_CONFIG_FILE to another"); err != nil {
		return d, err
	}
	var secure cloudsFile
	if apart := securePath(path); apart != "" {
		secure, err = readClouds(apart, cloudsKey)
		if err := readError(apart, err, "make it readable, or set OS_CLIENT_SECURE_FILE to another"); err != nil {
			return d, err
		}
	}
	own, err := main.cloud(name)
	if err != nil {
		return d, err
	}
	apart, err := secure.cloud(name)
	switch {
	case err != nil:
		return d, err
	case len(main.clouds) == 0:
		return d, d.wrong("no clouds in it", "it must begin with the key clouds")
	case own == nil:
		return d, d.wrong("no cloud "+name+" in it", "it has "+strings.Join(main.names(), ", "))
	}
	d.values = own.over(apart)
	if profile := d.values.text("profile", "cloud"); profile != "" {
		of, err := d.profile(profile)
		if err != nil {
			return d, err
		}
		d.values = of.over(d.values)
	}
	if d.values, err = d.inRegion(); err != nil {
		return d, err
	}
	d.values = moveAuth(d.values)
	return d, nil
}

// profile returns what clouds-public.yaml says of a profile. One that does not exist is
// refused: the ones that come with openstacksdk are not here.
func (d description) profile(name string) (table, error) {
	path, looked := find("clouds-public")
	if path == "" {
		return nil, d.wrong("the profile of cloud "+d.name+" is "+clip(name)+", but no clouds-public.yaml was found: looked for "+looked,
			"write one, or replace the profile by auth.auth_url")
	}
	file, err := readClouds(path, publicKey)
	if err := readError(path, err, "make it readable"); err != nil {
		return nil, err
	}
	of, err := file.cloud(name)
	if err == nil && of == nil {
		err = &ConfigError{Where: path, What: "no " + clip(name) + " under public-clouds, the profile of cloud " + d.name + " in " + d.where, Hint: "add it, or set auth.auth_url in " + d.where}
	}
	return of, err
}

// inRegion returns the values with what they say for their region.
//
// Source: openstacksdk/openstack/config/loader.py, _get_region.
func (d description) inRegion() (table, error) {
	asked := cmp.Or(os.Getenv("OS_REGION_NAME"), d.values.text("region_name"))
	regions, _ := d.values["regions"].([]any)
	if len(regions) == 0 {
		return d.values.over(table{"region_name": asked}), nil
	}
	var names []string
	for _, region := range regions {
		name, _ := region.(string)
		of, _ := region.(table)
		name = cmp.Or(name, of.text("name"))
		if asked == "" || asked == name {
			values, _ := of["values"].(table)
			return d.values.over(values).over(table{"region_name": name}), nil
		}
		names = append(names, clip(name))
	}
	slices.Sort(names)
	return nil, d.wrong("cloud "+d.name+" has no region "+clip(asked), "use one of its regions "+strings.Join(slices.Compact(names), ", ")+" for region_name or OS_REGION_NAME")
}

// moveAuth returns values with what belongs to auth there, by its present name.
//
// Source: openstacksdk/openstack/config/loader.py, magic_fixes and _validate_auth.
func moveAuth(values table) table {
	values = maps.Clone(values)
	auth, _ := values["auth"].(table)
	if auth = maps.Clone(auth); auth == nil {
		auth = table{}
	}
	for _, key := range authKeys() {
		if text := values.text(key); text != "" && auth.text(key) == "" {
			auth[key] = text
		}
	}
	for now, former := range map[string]string{"project_id": "tenant_id", "project_name": "tenant_name", "token": "auth_token"} {
		if text := auth.text(now, former); text != "" {
			auth[now] = text
		}
	}
	for _, of := range []string{"user_domain", "project_domain"} {
		for _, suffix := range []string{"_id", "_name"} {
			if text := auth.text("domain"+suffix, "default_domain"+suffix); text != "" && auth.text(of+"_id", of+"_name") == "" {
				auth[of+suffix] = text
			}
		}
	}
	if len(auth) > 0 {
		values["auth"] = auth
	}
	if text := values.text("auth_type", "auth_plugin"); text != "" {
		values["auth_type"] = text
	}
	if text := values.text("endpoint_type"); text != "" {
		values["interface"] = text
	}
	return values
}

// Names returns the clouds that the first clouds.yaml found describes, in order, and
// EnvVars where the environment describes one.
func Names() []string {
	var out []string
	if path, _ := cloudsPath(); path != "" {
		if file, err := readClouds(path, cloudsKey); err == nil {
			out = file.names()
		}
	}
	if _, err := ofEnvironment(); err == nil {
		out = append(out, EnvVars)
	}
	return out
}

// DescribedIn distinguishes clouds of the same name: by the file that describes the
// cloud, or by its Keystone for one of the environment. It is "" where there is no such
// file.
func DescribedIn(name string) string {
	if name == EnvVars {
		return cmp.Or(os.Getenv("OS_AUTH_URL"), name) + "#" + cmp.Or(os.Getenv("OS_PROJECT_NAME"), os.Getenv("OS_PROJECT_ID"))
	}
	path, _ := cloudsPath()
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path + "#" + name
}

// ofEnvironment returns the cloud that the OS_* variables describe, as clouds.yaml would.
func ofEnvironment() (table, error) {
	cloud, auth := table{}, table{}
	for _, key := range authKeys() {
		if v := os.Getenv(variable(key)); v != "" {
			auth[key] = v
		}
	}
	for _, key := range []string{"auth_type", "region_name", "interface", "endpoint_type", "cacert", "cert", "key", "insecure"} {
		if v := os.Getenv(variable(key)); v != "" {
			cloud[key] = v
		}
	}
	if auth["auth_url"] == nil && !isDirect(cloud.text("auth_type")) {
		return nil, &ConfigError{Where: "the environment", What: "OS_AUTH_URL is not set", Hint: "source an openrc file, or name a cloud in clouds.yaml"}
	}
	cloud["auth"] = auth
	for _, service := range serviceNames() {
		for _, key := range serviceKeys() {
			if v := os.Getenv(variable(service + "_" + key)); v != "" {
				cloud[service+"_"+key] = v
			}
		}
	}
	return cloud, nil
}
