package remote

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"gopkg.in/yaml.v2"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/storage/diskfile"
)

// EnvVars is the name of the cloud that only the OS_* variables describe, as
// openstacksdk names it.
const EnvVars = "envvars"

// ConfigError reports that a cloud cannot be found or is not described well enough. It
// matches placement.ErrInvalid.
type ConfigError struct {
	Where string // a file, or the environment; "" for nowhere
	What  string
	Hint  string
}

func (e *ConfigError) Error() string {
	s := e.What
	if e.Where != "" {
		s = e.Where + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Is reports whether target is placement.ErrInvalid.
func (e *ConfigError) Is(target error) bool { return target == placement.ErrInvalid }

// target is how to connect to a cloud.
type target struct {
	auth     gophercloud.AuthOptions
	endpoint gophercloud.EndpointOpts
	tls      *tls.Config
	keys     map[string]string // of the cloud, for way
	description
}

// named adds to what to do about err where the cloud is described.
func (t target) named(err error) error {
	if f, ok := errors.AsType[*FaultError](err); ok {
		if f.Hint == hintUser && t.name == EnvVars {
			f.Hint = "check OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME and their domains"
		}
		f.Hint = strings.ReplaceAll(f.Hint, "clouds.yaml", t.where)
	}
	return err
}

// targetOf returns how to connect to the cloud with a name.
func targetOf(name string) (target, error) {
	d, err := describe(name)
	if err != nil {
		return target{}, err
	}
	if err := d.check(); err != nil {
		return target{}, err
	}
	options := []clouds.ParseOption{clouds.WithCloudName(name), clouds.WithCloudsYAML(bytes.NewReader(d.main))}
	if d.secure != nil {
		options = append(options, clouds.WithSecureYAML(bytes.NewReader(d.secure)))
	}
	t := target{description: d}
	if t.auth, t.endpoint, t.tls, err = clouds.Parse(options...); err != nil {
		return target{}, &ConfigError{Where: d.where, What: "cloud " + name + ": " + clip(err.Error()), Hint: "correct it"}
	}
	if err := d.checkAuthURL(t.auth.IdentityEndpoint); err != nil {
		return target{}, err
	}
	if t.keys, err = d.keys(); err != nil {
		return target{}, err
	}
	t.endpoint.Region = cmp.Or(os.Getenv("OS_REGION_NAME"), t.keys["region_name"])
	if at, ok := availability(cmp.Or(os.Getenv("OS_INTERFACE"), t.keys["interface"])); ok {
		t.endpoint.Availability = at
	}
	if isTrue(t.keys["insecure"]) {
		if t.tls == nil {
			t.tls = &tls.Config{}
		}
		t.tls.InsecureSkipVerify = true //nolint:gosec // the operator says so
	}
	t.auth.AllowReauth = true
	return t, nil
}

// checkAuthURL refuses an address that is invalid, or contains a user or a password,
// because it is shown while waiting. The error does not quote it, as it may contain a
// password.
func (d description) checkAuthURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case holdsUser(u, address):
		user, password := "auth.username", "auth.password or secure.yaml"
		if d.name == EnvVars {
			user, password = "OS_USERNAME", "OS_PASSWORD"
		}
		return d.wrong(d.key("auth.auth_url")+" has a user or password in it", "put the user in "+user+" and the password in "+password)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return d.wrong(d.key("auth.auth_url")+" is not a URL", "write one such as https://HOST:5000/v3")
	}
	return nil
}

// holdsUser reports whether an address contains a user or a password, even one that could
// not be parsed, with a nil u.
func holdsUser(u *url.URL, address string) bool {
	return u != nil && u.User != nil || strings.Contains(address, "@")
}

// description is what clouds.yaml and its secure.yaml, or the environment, say of a
// cloud.
type description struct {
	name         string
	where        string // path of clouds.yaml, or "the environment"
	main, secure []byte // secure is nil if there is none
}

// wrong returns an error about the description, with what to do.
func (d description) wrong(what, hint string) *ConfigError {
	return &ConfigError{Where: d.where, What: what, Hint: hint}
}

// key returns a key of the cloud as the user knows it: the variable if variables describe
// the cloud.
func (d description) key(key string) string {
	if d.name == EnvVars {
		return variable(key)
	}
	return key + " of cloud " + d.name
}

// variable returns the environment variable for a key of clouds.yaml.
func variable(key string) string { return "OS_" + strings.ToUpper(strings.TrimPrefix(key, "auth.")) }

// secureFile returns the path of the secure.yaml for a clouds.yaml.
func secureFile(path string) string { return filepath.Join(filepath.Dir(path), "secure.yaml") }

// describe finds the description of a cloud.
func describe(name string) (description, error) {
	if name == EnvVars {
		main, err := ofEnvironment()
		return description{name: name, where: "the environment", main: main}, err
	}
	places := cloudsFiles()
	for _, path := range places {
		main, err := diskfile.ReadText(path)
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			return description{}, &ConfigError{Where: path, What: "it cannot be read: " + clip(rootOf(err).Error()), Hint: "make it readable, or set OS_CLIENT_CONFIG_FILE to another"}
		}
		secure, err := diskfile.ReadText(secureFile(path))
		if err != nil && !os.IsNotExist(err) {
			return description{}, &ConfigError{Where: secureFile(path), What: "it cannot be read: " + clip(rootOf(err).Error()), Hint: "make it readable"}
		}
		if len(bytes.TrimSpace(secure)) == 0 {
			secure = nil
		}
		return description{name, path, alone(main, name), alone(secure, name)}, nil
	}
	return description{}, &ConfigError{
		What: "no clouds.yaml found: looked for " + strings.Join(places, ", "),
		Hint: "write one, set OS_CLIENT_CONFIG_FILE, or set the OS_* variables and open the cloud " + EnvVars,
	}
}

// Names returns the clouds that the first clouds.yaml found describes, in order, and
// EnvVars where the environment describes one.
func Names() []string {
	var out []string
	for _, path := range cloudsFiles() {
		if text, err := diskfile.ReadText(path); err == nil {
			out = cloudNames(text)
			break
		}
	}
	if _, err := ofEnvironment(); err == nil {
		out = append(out, EnvVars)
	}
	return out
}

// DescribedIn distinguishes clouds of the same name: by the file that describes the
// cloud, or by its Keystone for one of the environment. It is "" where nothing
// describes it.
func DescribedIn(name string) string {
	d, err := describe(name)
	switch {
	case err != nil:
		return ""
	case name == EnvVars:
		return cmp.Or(os.Getenv("OS_AUTH_URL"), name) + "#" + cmp.Or(os.Getenv("OS_PROJECT_NAME"), os.Getenv("OS_PROJECT_ID"))
	}
	if path, err := filepath.Abs(d.where); err == nil {
		d.where = path
	}
	return d.where + "#" + name
}

// cloudsFiles returns the possible paths of clouds.yaml, as openstacksdk has them.
func cloudsFiles() []string {
	if path := os.Getenv("OS_CLIENT_CONFIG_FILE"); path != "" {
		return []string{path}
	}
	return lookedIn("clouds.yaml")
}

// publicFiles returns the possible paths of clouds-public.yaml.
func publicFiles() []string { return lookedIn("clouds-public.yaml") }

// lookedIn returns the possible paths of a file, in order.
func lookedIn(name string) []string {
	out := []string{name}
	if folder, err := os.UserConfigDir(); err == nil {
		out = append(out, filepath.Join(folder, "openstack", name))
	}
	return append(out, filepath.Join("/etc/openstack", name))
}

// entry is the part of a description that is checked before gophercloud reads it.
type entry struct {
	Auth         map[string]any `yaml:"auth"`
	Type         string         `yaml:"auth_type"`
	Cloud        string         `yaml:"cloud"`
	Profile      string         `yaml:"profile"`
	Interface    string         `yaml:"interface"`
	EndpointType string         `yaml:"endpoint_type"`
	CACert       string         `yaml:"cacert"`
	Cert         string         `yaml:"cert"`
	Key          string         `yaml:"key"`
}

// authTypes returns the supported auth types, as in clouds.yaml.
func authTypes() []string {
	return []string{"password", "v3password", "token", "v3token", "v3applicationcredential"}
}

// check returns what is wrong with a description.
func (d description) check() error {
	var file, kept struct {
		Clouds map[string]entry `yaml:"clouds"`
	}
	for _, of := range []struct {
		where string
		text  []byte
		into  any
	}{{d.where, d.main, &file}, {d.where, d.main, &clouds.Clouds{}}, {secureFile(d.where), d.secure, &kept}, {secureFile(d.where), d.secure, &clouds.Clouds{}}} {
		if err := yaml.Unmarshal(of.text, of.into); err != nil {
			return unreadable(of.where, err)
		}
	}
	e, ok := file.Clouds[d.name]
	apart := kept.Clouds[d.name]
	kind := cmp.Or(apart.Type, e.Type)
	switch {
	case len(file.Clouds) == 0:
		return d.wrong("no clouds in it", "it must begin with the key clouds")
	case !ok:
		return d.wrong("no cloud "+d.name+" in it", "it has "+strings.Join(sorted.Keys(file.Clouds), ", "))
	case kind != "" && !slices.Contains(authTypes(), kind):
		what := "cloud " + d.name + " has auth_type " + clip(kind)
		if d.name == EnvVars {
			what = "OS_AUTH_TYPE is " + clip(kind)
		}
		return d.wrong(what+", which is not supported", "write one of "+strings.Join(authTypes(), ", ")+", or leave it out")
	}
	if err := d.checkWay(e, apart); err != nil {
		return err
	}
	if profile := cmp.Or(apart.Profile, e.Profile, apart.Cloud, e.Cloud); profile != "" {
		return d.checkProfile(profile)
	}
	auth := maps.Clone(e.Auth)
	if auth == nil {
		auth = map[string]any{}
	}
	maps.Copy(auth, apart.Auth)
	if key := lacks(auth); key != "" {
		if d.name == EnvVars {
			return d.wrong(variable(key)+" is not set", "set it, or source the openrc file again")
		}
		return d.wrong("cloud "+d.name+" has no "+key, "add it there or to secure.yaml")
	}
	if scope := auth["system_scope"]; scope != nil && scope != "" && scope != "all" {
		return d.wrong(d.key("auth.system_scope")+" must be all", "write all, or leave it out")
	}
	return nil
}

// lacks returns the key that must be added to get a token, "" if none.
func lacks(auth map[string]any) string {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { v, ok := auth[key]; return ok && v != nil && v != "" })
	}
	domain := has("domain_name", "domain_id")
	switch {
	case len(auth) == 0:
		return "auth"
	case !has("auth_url"):
		return "auth.auth_url"
	case has("token"):
	case has("application_credential_id", "application_credential_name"):
		switch {
		case !has("application_credential_secret"):
			return "auth.application_credential_secret"
		case has("application_credential_id"):
		case !has("username", "user_id"):
			return "auth.username, which an application_credential_name needs"
		case !has("user_id", "user_domain_name", "user_domain_id") && !domain:
			return "auth.user_domain_name"
		}
		return ""
	case !has("username", "user_id"):
		return "auth.username"
	case !has("password"):
		return "auth.password"
	case has("username") && !has("user_domain_name", "user_domain_id") && !domain:
		return "auth.user_domain_name"
	case has("project_name") && !has("project_id", "project_domain_name", "project_domain_id") && !domain:
		return "auth.project_domain_name"
	}
	return ""
}

// checkWay returns what is wrong with how to reach the services. The environment
// overrides the file, as in OpenStack's own clients.
func (d description) checkWay(e, apart entry) error {
	at := func(key string, values ...string) (value, where string) {
		if v := os.Getenv(variable(key)); v != "" {
			return v, variable(key)
		}
		return cmp.Or(values...), d.key(key)
	}
	value, where := at("interface", apart.Interface, e.Interface)
	if former := cmp.Or(apart.EndpointType, e.EndpointType); former != "" && where == d.key("interface") {
		value, where = former, d.key("endpoint_type")
	}
	if _, ok := availability(value); value != "" && !ok {
		return d.wrong(where+" is "+clip(value), "write public, internal or admin")
	}
	read := func(key string, values ...string) (text []byte, path, where string, err error) {
		path, where = at(key, values...)
		if path == "" {
			return nil, "", where, nil
		}
		if after, ok := strings.CutPrefix(path, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, after)
			}
		}
		if is, err := filepath.Abs(path); err == nil {
			path = is
		}
		if text, err = diskfile.ReadText(path); err != nil {
			return nil, path, where, d.wrong(where+": "+path+" cannot be read: "+clip(rootOf(err).Error()), "write the path of a PEM file; a relative path starts from the current directory")
		}
		return text, path, where, nil
	}
	text, path, where, err := read("cacert", apart.CACert, e.CACert)
	if err != nil {
		return err
	}
	if path != "" && !x509.NewCertPool().AppendCertsFromPEM(text) {
		return d.wrong(where+": "+path+" has no certificate in it", "write the path of the CA's certificate, in PEM")
	}
	cert, certPath, certKey, err := read("cert", apart.Cert, e.Cert)
	if err != nil {
		return err
	}
	key, keyPath, keyKey, err := read("key", apart.Key, e.Key)
	switch {
	case err != nil:
		return err
	case certPath == "" && keyPath == "":
		return nil
	case certPath == "":
		return d.wrong("key is set without "+certKey, "set both, or neither")
	case keyPath == "":
		return d.wrong("cert is set without "+keyKey, "set both, or neither")
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		return d.wrong(certKey+" and "+keyKey+": "+clip(strings.TrimPrefix(err.Error(), "tls: ")), "write the paths of this client's certificate and key, both in PEM")
	}
	return nil
}

// absent returns the error for a catalogue without the requested endpoint of Placement:
// what it has, and which key to change.
func (t target) absent(catalogue *tokens.ServiceCatalog, o gophercloud.EndpointOpts) error {
	var services, there []string
	for _, of := range catalogue.Entries {
		if !slices.Contains(services, of.Type) && len(of.Endpoints) > 0 {
			services = append(services, clip(of.Type))
		}
		if of.Type != o.Type || o.Name != "" && of.Name != o.Name {
			continue
		}
		for _, at := range of.Endpoints {
			there = append(there, clip(at.Interface+inRegion(cmp.Or(at.RegionID, at.Region))))
		}
	}
	what := fmt.Sprintf("the service catalog of cloud %s has no %s endpoint of %s%s", t.name, o.Availability, clip(o.Type), inRegion(o.Region))
	region := t.key("region_name")
	if os.Getenv("OS_REGION_NAME") != "" {
		region = "OS_REGION_NAME"
	}
	way := t.key("interface")
	if os.Getenv("OS_INTERFACE") != "" {
		way = "OS_INTERFACE"
	}
	slices.Sort(there)
	switch {
	case len(there) > 0:
		return t.wrong(what+", only "+strings.Join(slices.Compact(there), ", "), "use one of those for "+region+" and "+way)
	case len(services) > 0:
		return t.wrong(what+", only "+strings.Join(services, ", "), "add placement to the catalog, set placement_endpoint_override, or open it by its address, with a token")
	}
	return t.wrong("the service catalog of cloud "+t.name+" is empty: the token has no project", "set "+t.key("auth.project_name")+" and "+t.key("auth.project_domain_name")+", or "+t.key("auth.system_scope")+": all")
}

// checkProfile refuses a profile that does not exist: gophercloud has no built-in ones.
func (d description) checkProfile(profile string) error {
	places := publicFiles()
	for _, path := range places {
		text, err := diskfile.ReadText(path)
		if err != nil {
			continue
		}
		var file struct {
			Clouds map[string]entry `yaml:"public-clouds"`
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			return unreadable(path, err)
		}
		if _, ok := file.Clouds[profile]; !ok {
			return &ConfigError{Where: path, What: "no " + clip(profile) + " under public-clouds, the profile of cloud " + d.name + " in " + d.where, Hint: "add it, or set auth.auth_url in " + d.where}
		}
		return nil
	}
	return d.wrong("the profile of cloud "+d.name+" is "+clip(profile)+", but no clouds-public.yaml was found: looked for "+strings.Join(places, ", "),
		"write one, or replace the profile by auth.auth_url")
}

// unreadable returns the error for a file that is not YAML, or does not contain clouds.
func unreadable(where string, err error) error {
	return &ConfigError{Where: where, What: "it cannot be read: " + yamlFault(err), Hint: "indent with spaces only, and quote values that contain : or #"}
}

// yamlFault returns what is wrong and where, without quoting the file, which may contain
// a password.
func yamlFault(err error) string {
	if wrong := (*yaml.TypeError)(nil); errors.As(err, &wrong) {
		at, _, _ := strings.Cut(wrong.Errors[0], ": ")
		return at + ": wrong type of value"
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return clip(strings.TrimPrefix(first, "yaml: "))
}

// isTrue reports whether a value of the environment or of clouds.yaml means yes.
func isTrue(text string) bool { return strings.EqualFold(text, "true") || text == "1" }

// ofEnvironment returns the cloud that the OS_* variables describe, in the form of
// clouds.yaml.
func ofEnvironment() ([]byte, error) {
	auth := map[string]string{}
	for _, key := range []string{
		"auth_url", "username", "user_id", "password", "token", "project_id", "project_name", "project_domain_id", "project_domain_name",
		"user_domain_id", "user_domain_name", "domain_id", "domain_name", "system_scope", "trust_id",
		"application_credential_id", "application_credential_name", "application_credential_secret",
	} {
		if v := os.Getenv("OS_" + strings.ToUpper(key)); v != "" {
			auth[key] = v
		}
	}
	if auth["auth_url"] == "" {
		return nil, &ConfigError{Where: "the environment", What: "OS_AUTH_URL is not set", Hint: "source an openrc file, or name a cloud in clouds.yaml"}
	}
	cloud := map[string]any{"auth": auth}
	for key, name := range map[string]string{"auth_type": "OS_AUTH_TYPE", "region_name": "OS_REGION_NAME", "interface": "OS_INTERFACE", "endpoint_type": "OS_ENDPOINT_TYPE", "cacert": "OS_CACERT", "cert": "OS_CERT", "key": "OS_KEY"} {
		if v := os.Getenv(name); v != "" {
			cloud[key] = v
		}
	}
	if isTrue(os.Getenv("OS_INSECURE")) {
		cloud["verify"] = false
	}
	for _, service := range []string{"placement", "compute", "accelerator", "identity"} {
		for _, key := range serviceKeys() {
			if v := os.Getenv(variable(service + "_" + key)); v != "" {
				cloud[service+"_"+key] = v
			}
		}
	}
	text, err := json.Marshal(map[string]any{"clouds": map[string]any{EnvVars: cloud}})
	if err != nil {
		return nil, fmt.Errorf("the environment: %w", err)
	}
	return text, nil
}
