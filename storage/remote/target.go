package remote

import (
	"bytes"
	"cmp"
	"crypto/tls"
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
	"gopkg.in/yaml.v2"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// EnvVars is the name of the cloud that the OS_* variables alone describe, as
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

// target is how to get into a cloud.
type target struct {
	auth     gophercloud.AuthOptions
	endpoint gophercloud.EndpointOpts
	tls      *tls.Config
	where    string // it was described
}

// named has what to do about err say where the cloud is described.
func (t target) named(err error) error {
	if f, ok := errors.AsType[*FaultError](err); ok {
		f.Hint = strings.ReplaceAll(f.Hint, "clouds.yaml", t.where)
	}
	return err
}

// targetOf returns how to get into the cloud of a name.
func targetOf(name string) (target, error) {
	where, main, secure, err := describe(name)
	if err != nil {
		return target{}, err
	}
	if err := checkEntry(where, name, main, secure); err != nil {
		return target{}, err
	}
	options := []clouds.ParseOption{clouds.WithCloudName(name), clouds.WithCloudsYAML(bytes.NewReader(main))}
	if secure != nil {
		options = append(options, clouds.WithSecureYAML(bytes.NewReader(secure)))
	}
	t := target{where: where}
	if t.auth, t.endpoint, t.tls, err = clouds.Parse(options...); err != nil {
		return target{}, &ConfigError{Where: where, What: "cloud " + name + ": " + clip(err.Error()), Hint: "correct it"}
	}
	if err := checkAuthURL(where, name, t.auth.IdentityEndpoint); err != nil {
		return target{}, err
	}
	t.auth.AllowReauth = true
	return t, nil
}

// checkAuthURL refuses an address that is none, or that holds a user or a password: it is
// shown to whoever waits for it. It is quoted nowhere, as a password may stand in it.
func checkAuthURL(where, name, address string) error {
	key, user, password := "auth.auth_url of cloud "+name, "auth.username", "auth.password, or into secure.yaml beside it"
	if name == EnvVars {
		key, user, password = "OS_AUTH_URL", "OS_USERNAME", "OS_PASSWORD"
	}
	u, err := url.Parse(address)
	switch {
	case holdsUser(u, address):
		return &ConfigError{
			Where: where, What: key + " holds a user or a password",
			Hint: "write the address alone; the user goes into " + user + ", the password into " + password,
		}
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return &ConfigError{Where: where, What: key + " is no address", Hint: "write one such as https://HOST:5000/v3"}
	}
	return nil
}

// holdsUser reports whether an address holds a user or a password, also where it could not
// be read, and u is nil.
func holdsUser(u *url.URL, address string) bool {
	return u != nil && u.User != nil || strings.Contains(address, "@")
}

// describe returns the description of a cloud: clouds.yaml with the secure.yaml beside
// it, or what the environment has.
func describe(name string) (where string, main, secure []byte, err error) {
	if name == EnvVars {
		main, err = ofEnvironment()
		return "the environment", main, nil, err
	}
	places := cloudsFiles()
	for _, path := range places {
		if main, err = os.ReadFile(path); os.IsNotExist(err) {
			continue
		} else if err != nil {
			return "", nil, nil, &ConfigError{Where: path, What: clip(err.Error()), Hint: "make it readable, or name another with OS_CLIENT_CONFIG_FILE"}
		}
		beside := filepath.Join(filepath.Dir(path), "secure.yaml")
		if secure, err = os.ReadFile(beside); err != nil && !os.IsNotExist(err) {
			return "", nil, nil, &ConfigError{Where: beside, What: clip(err.Error()), Hint: "make it readable"}
		}
		if len(bytes.TrimSpace(secure)) == 0 {
			secure = nil
		}
		return path, main, secure, nil
	}
	return "", nil, nil, &ConfigError{
		What: "there is no clouds.yaml: looked for " + strings.Join(places, ", "),
		Hint: "write one, name it with OS_CLIENT_CONFIG_FILE, or take the OS_* variables as the cloud " + EnvVars,
	}
}

// Names returns the clouds that the first clouds.yaml there is describes, in order, and
// EnvVars where the environment describes one.
func Names() []string {
	var file struct {
		Clouds map[string]entry `yaml:"clouds"`
	}
	for _, path := range cloudsFiles() {
		if text, err := os.ReadFile(path); err == nil {
			if yaml.Unmarshal(text, &file) != nil {
				file.Clouds = nil
			}
			break
		}
	}
	out := sorted.Keys(file.Clouds)
	if _, err := ofEnvironment(); err == nil {
		out = append(out, EnvVars)
	}
	return out
}

// cloudsFiles returns where clouds.yaml may be, as openstacksdk looks for it.
func cloudsFiles() []string {
	if path := os.Getenv("OS_CLIENT_CONFIG_FILE"); path != "" {
		return []string{path}
	}
	places := []string{"clouds.yaml"}
	if folder, err := os.UserConfigDir(); err == nil {
		places = append(places, filepath.Join(folder, "openstack", "clouds.yaml"))
	}
	return append(places, "/etc/openstack/clouds.yaml")
}

// entry is what is looked at before gophercloud reads the description.
type entry struct {
	Auth    map[string]any `yaml:"auth"`
	Type    string         `yaml:"auth_type"`
	Cloud   string         `yaml:"cloud"`
	Profile string         `yaml:"profile"`
}

// authTypes returns the ways to get a token that there are here, as clouds.yaml names them.
func authTypes() []string {
	return []string{"password", "v3password", "token", "v3token", "v3applicationcredential"}
}

// checkEntry says in words what a description lacks.
func checkEntry(where, name string, main, secure []byte) error {
	var file, kept struct {
		Clouds map[string]entry `yaml:"clouds"`
	}
	if err := yaml.Unmarshal(main, &file); err != nil {
		return unreadable(where, err)
	}
	if err := yaml.Unmarshal(secure, &kept); err != nil {
		return unreadable(filepath.Join(filepath.Dir(where), "secure.yaml"), err)
	}
	e, ok := file.Clouds[name]
	kind := cmp.Or(kept.Clouds[name].Type, e.Type)
	switch {
	case len(file.Clouds) == 0:
		return &ConfigError{Where: where, What: "it has no clouds", Hint: "it begins with the key clouds"}
	case !ok:
		return &ConfigError{Where: where, What: "there is no cloud " + name, Hint: "it has " + strings.Join(sorted.Keys(file.Clouds), ", ")}
	case kind != "" && !slices.Contains(authTypes(), kind):
		return &ConfigError{Where: where, What: "cloud " + name + " has auth_type " + clip(kind) + ", which is not supported", Hint: "write one of " + strings.Join(authTypes(), ", ") + ", or leave it out"}
	case e.Cloud != "" || e.Profile != "":
		return nil // the rest is in clouds-public.yaml
	}
	auth := maps.Clone(e.Auth)
	if auth == nil {
		auth = map[string]any{}
	}
	maps.Copy(auth, kept.Clouds[name].Auth)
	has := func(key string) bool { v, ok := auth[key]; return ok && v != nil && v != "" }
	key := ""
	switch {
	case len(auth) == 0:
		key = "auth"
	case !has("auth_url"):
		key = "auth.auth_url"
	case has("token"):
	case has("application_credential_id"), has("application_credential_name"):
		if !has("application_credential_secret") {
			key = "auth.application_credential_secret"
		}
	case !has("username") && !has("user_id"):
		key = "auth.username"
	case !has("password"):
		key = "auth.password"
	case has("username") && !has("user_domain_name") && !has("user_domain_id") && !has("domain_name") && !has("domain_id"):
		key = "auth.user_domain_name"
	case has("project_name") && !has("project_id") && !has("project_domain_name") && !has("project_domain_id") && !has("domain_name") && !has("domain_id"):
		key = "auth.project_domain_name"
	}
	if key != "" {
		return &ConfigError{Where: where, What: "cloud " + name + " has no " + key, Hint: "add it there, or in secure.yaml beside it"}
	}
	return nil
}

// unreadable says that a file is no YAML, or has something else in it than clouds.
func unreadable(where string, err error) error {
	return &ConfigError{Where: where, What: "it cannot be read: " + yamlFault(err), Hint: "correct it: indent with spaces alone, and quote values that hold : or #"}
}

// yamlFault returns what is wrong and where, without the lines of the file: they may hold
// a password.
func yamlFault(err error) string {
	if wrong := (*yaml.TypeError)(nil); errors.As(err, &wrong) {
		at, _, _ := strings.Cut(wrong.Errors[0], ": ")
		return at + ": something else is expected there"
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return clip(strings.TrimPrefix(first, "yaml: "))
}

// ofEnvironment returns the cloud that the OS_* variables describe as clouds.yaml would.
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
		return nil, &ConfigError{Where: "the environment", What: "there is no OS_AUTH_URL", Hint: "source an openrc file, or name a cloud of clouds.yaml"}
	}
	cloud := map[string]any{"auth": auth}
	for key, name := range map[string]string{"auth_type": "OS_AUTH_TYPE", "region_name": "OS_REGION_NAME", "interface": "OS_INTERFACE", "cacert": "OS_CACERT", "cert": "OS_CERT", "key": "OS_KEY"} {
		if v := os.Getenv(name); v != "" {
			cloud[key] = v
		}
	}
	if v := strings.ToLower(os.Getenv("OS_INSECURE")); v == "true" || v == "1" {
		cloud["verify"] = false
	}
	text, err := json.Marshal(map[string]any{"clouds": map[string]any{EnvVars: cloud}})
	if err != nil {
		return nil, fmt.Errorf("the environment: %w", err)
	}
	return text, nil
}
