package remote

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/diskfile"
)

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
	direct   string            // the auth type without Keystone; "" for all others
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
	t := target{description: d}
	if t.auth, t.direct, err = d.login(); err != nil {
		return target{}, err
	}
	if t.tls, err = d.tlsConfig(); err != nil {
		return target{}, err
	}
	word, where := d.overridden("interface")
	at, ok := availability(word)
	switch {
	case word == "":
		at = gophercloud.AvailabilityPublic
	case !ok:
		if d.values.text("endpoint_type") == word && where == d.key("interface") {
			where = d.key("endpoint_type")
		}
		return target{}, d.wrong(where+" is "+clip(word), "write public, internal or admin")
	}
	t.endpoint = gophercloud.EndpointOpts{Region: d.values.text("region_name"), Availability: at}
	t.keys = map[string]string{}
	for key := range d.values {
		t.keys[key] = d.values.text(key)
	}
	for key, text := range maps.Clone(t.keys) {
		if of, former := strings.CutSuffix(key, "endpoint_type"); former && text != "" {
			t.keys[of+"interface"] = text
		}
	}
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

// overridden returns the value of a key, and the name of the key. The environment overrides
// the file, as in OpenStack's own clients.
func (d description) overridden(key string) (value, where string) {
	if v := os.Getenv(variable(key)); v != "" {
		return v, variable(key)
	}
	return d.values.text(key), d.key(key)
}

// authKeys returns the keys of auth that are known.
func authKeys() []string {
	return []string{
		"auth_url", "username", "user_id", "password", "token", "auth_token", "project_id", "project_name", "tenant_id", "tenant_name",
		"project_domain_id", "project_domain_name", "user_domain_id", "user_domain_name",
		"domain_id", "domain_name", "default_domain_id", "default_domain_name", "system_scope", "trust_id",
		"application_credential_id", "application_credential_name", "application_credential_secret", "endpoint",
	}
}

// The supported auth types, as in clouds.yaml.
const (
	authPassword   = "password"
	authToken      = "token"
	authCredential = "v3applicationcredential"
	authNone       = "none"
	authAdminToken = "admin_token"
	authBasic      = "http_basic"
)

// authTypes returns the names of the auth types, those with another name for them.
func authTypes() map[string]string {
	return map[string]string{
		authPassword: authPassword, "v3password": authPassword, authToken: authToken, "v3token": authToken, authCredential: authCredential,
		authNone: authNone, authAdminToken: authAdminToken, "token_endpoint": authAdminToken, authBasic: authBasic,
	}
}

// isDirect reports whether an auth type has no Keystone: its services are at addresses that
// are told.
func isDirect(kind string) bool {
	kind = authTypes()[kind]
	return kind == authNone || kind == authAdminToken || kind == authBasic
}

// login returns how to log in, with the auth type if there is no Keystone, or what is wrong
// with it.
func (d description) login() (options gophercloud.AuthOptions, direct string, err error) {
	auth, ok := d.values["auth"].(table)
	if !ok {
		return options, "", d.wrong("cloud "+d.name+" has no auth", "add it there or to secure.yaml")
	}
	for _, key := range slices.Sorted(maps.Keys(auth)) {
		if !slices.Contains(authKeys(), key) && auth[key] != "" {
			return options, "", d.wrong(d.key("auth."+clip(key))+" is not supported", "leave it out, or use one of "+strings.Join(authKeys(), ", "))
		}
		if _, ok := auth[key].(string); !ok {
			return options, "", d.wrong(d.key("auth."+clip(key))+" is not a text", "write a text")
		}
	}
	said := d.values.text("auth_type")
	kind, ok := authTypes()[said]
	switch {
	case ok:
	case said != "":
		what := "cloud " + d.name + " has auth_type " + clip(said)
		if d.name == EnvVars {
			what = "OS_AUTH_TYPE is " + clip(said)
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(authTypes())), func(name string) bool { return name == "token_endpoint" })
		return options, "", d.wrong(what+", which is not supported", "write one of "+strings.Join(names, ", ")+", or leave it out")
	case auth.text("application_credential_id", "application_credential_name") != "":
		kind = authCredential
	case auth.text("token") != "" && auth.text("password") == "":
		kind = authToken
	default:
		kind = authPassword
	}
	if key := d.lacks(kind, auth); key != "" {
		if d.name == EnvVars {
			return options, "", d.wrong(variable(key)+" is not set", "set it, or source the openrc file again")
		}
		return options, "", d.wrong("cloud "+d.name+" has no "+key, "add it there or to secure.yaml")
	}
	if scope := auth.text("system_scope"); scope != "" && scope != "all" {
		return options, "", d.wrong(d.key("auth.system_scope")+" must be all", "write all, or leave it out")
	}
	options.AllowReauth = true
	if isDirect(kind) {
		options.TokenID, options.Username, options.Password = auth.text("token"), auth.text("username"), auth.text("password")
		return options, kind, nil
	}
	options.IdentityEndpoint = auth.text("auth_url")
	for key, value := range d.values { // as in those of vendors: https://identity.{region_name}.example.com
		if text, ok := value.(string); ok {
			options.IdentityEndpoint = strings.ReplaceAll(options.IdentityEndpoint, "{"+key+"}", text)
		}
	}
	if err := d.checkAuthURL(options.IdentityEndpoint); err != nil {
		return options, "", err
	}
	if kind == authToken {
		options.TokenID = auth.text("token")
	} else {
		options.Username, options.UserID = auth.text("username"), auth.text("user_id")
		if options.UserID == "" {
			options.DomainID, options.DomainName = auth.text("user_domain_id"), auth.text("user_domain_name")
		}
	}
	switch {
	case kind == authCredential:
		options.ApplicationCredentialID, options.ApplicationCredentialName = auth.text("application_credential_id"), auth.text("application_credential_name")
		options.ApplicationCredentialSecret = auth.text("application_credential_secret")
		if options.ApplicationCredentialID != "" {
			options.Username, options.UserID, options.DomainID, options.DomainName = "", "", "", ""
		}
		return options, "", nil // it has its project
	case kind == authPassword:
		options.Password = auth.text("password")
	}
	options.Scope = scopeOf(auth)
	return options, "", nil
}

// scopeOf returns what the token is for; nil for what Keystone has for the user.
func scopeOf(auth table) *gophercloud.AuthScope {
	switch {
	case auth.text("trust_id") != "":
		return &gophercloud.AuthScope{TrustID: auth.text("trust_id")}
	case auth.text("system_scope") != "":
		return &gophercloud.AuthScope{System: true}
	case auth.text("project_id") != "":
		return &gophercloud.AuthScope{ProjectID: auth.text("project_id")}
	case auth.text("project_name") != "":
		scope := &gophercloud.AuthScope{ProjectName: auth.text("project_name"), DomainID: auth.text("project_domain_id")}
		if scope.DomainID == "" {
			scope.DomainName = auth.text("project_domain_name")
		}
		return scope
	case auth.text("domain_id") != "":
		return &gophercloud.AuthScope{DomainID: auth.text("domain_id")}
	case auth.text("domain_name") != "":
		return &gophercloud.AuthScope{DomainName: auth.text("domain_name")}
	}
	return nil
}

// lacks returns the key that must be added to log in, "" if none.
func (d description) lacks(kind string, auth table) string {
	first := func(keys ...string) string {
		for _, key := range keys {
			if auth.text(key) == "" {
				return "auth." + key
			}
		}
		return ""
	}
	user := auth.text("user_id") != ""
	switch kind {
	case authNone, authAdminToken, authBasic:
		if auth.text("endpoint") == "" && d.values.text("placement_endpoint_override", "placement_endpoint") == "" {
			return "auth.endpoint"
		}
		return first(map[string][]string{authAdminToken: {"token"}, authBasic: {"username", "password"}}[kind]...)
	}
	switch {
	case len(auth) == 0:
		return "auth"
	case auth.text("auth_url") == "":
		return "auth.auth_url"
	case kind == authCredential && auth.text("application_credential_id") != "":
		return first("application_credential_secret")
	case kind == authCredential:
		switch key := first("application_credential_name", "application_credential_secret"); {
		case key != "":
			return key
		case !user && auth.text("username") == "":
			return "auth.username, which an application_credential_name needs"
		}
	case kind == authToken && auth.text("token") == "":
		return "auth.token"
	case kind == authPassword && !user && auth.text("username") == "":
		return "auth.username"
	case kind == authPassword && auth.text("password") == "":
		return "auth.password"
	}
	switch {
	case kind != authToken && !user && auth.text("user_domain_id", "user_domain_name") == "":
		return "auth.user_domain_name"
	case kind != authCredential && auth.text("project_id") == "" && auth.text("project_name") != "" && auth.text("project_domain_id", "project_domain_name") == "":
		return "auth.project_domain_name"
	}
	return ""
}

// tlsConfig returns how to speak TLS, or what is wrong with that.
func (d description) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{}
	read := func(key string) (text []byte, path, where string, err error) {
		path, where = d.overridden(key)
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
	for _, key := range []string{"verify", "insecure"} {
		text, where := d.values.text(key), d.key(key)
		yes, ok := truth(text)
		if text != "" && !ok {
			return nil, d.wrong(where+" is neither true nor false", "write true or false")
		}
		if text != "" && yes == (key == "insecure") {
			config.InsecureSkipVerify = true //nolint:gosec // the operator says so
		}
	}
	text, path, where, err := read("cacert")
	if err != nil {
		return nil, err
	}
	if path != "" {
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, d.wrong(where+": "+path+" has no certificate in it", "write the path of the CA's certificate, in PEM")
		}
	}
	cert, certPath, certKey, err := read("cert")
	if err != nil {
		return nil, err
	}
	key, keyPath, keyKey, err := read("key")
	switch {
	case err != nil:
		return nil, err
	case certPath == "" && keyPath == "":
		return config, nil
	case certPath == "":
		return nil, d.wrong("key is set without "+certKey, "set both, or neither")
	case keyPath == "":
		return nil, d.wrong("cert is set without "+keyKey, "set both, or neither")
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, d.wrong(certKey+" and "+keyKey+": "+clip(strings.TrimPrefix(err.Error(), "tls: ")), "write the paths of this client's certificate and key, both in PEM")
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// truth returns the boolean that a text means, as YAML and the environment have it, and
// false if it means none.
func truth(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "y", "1":
		return true, true
	case "false", "no", "off", "n", "0":
		return false, true
	}
	return false, false
}

// oneRegion returns an error if no region was named and a service is in several: the first
// Placement and the first Nova of a catalogue may be those of two clouds.
func (t target) oneRegion(catalogue *tokens.ServiceCatalog, o gophercloud.EndpointOpts) error {
	var regions []string
	for _, of := range catalogue.Entries {
		for _, at := range of.Endpoints {
			if of.Type == o.Type && (o.Name == "" || of.Name == o.Name) && at.Interface == string(o.Availability) {
				regions = append(regions, clip(cmp.Or(at.RegionID, at.Region)))
			}
		}
	}
	slices.Sort(regions)
	if regions = slices.Compact(regions); o.Region != "" || len(regions) < 2 {
		return nil
	}
	return t.wrong(fmt.Sprintf("the service catalog of cloud %s has %s in several regions: %s", t.name, clip(o.Type), strings.Join(regions, ", ")), "set "+t.key("region_name")+" to one of them")
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
