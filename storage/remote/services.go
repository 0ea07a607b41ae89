package remote

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
)

// serviceKeys are the keys of clouds.yaml that exist for each service, after its type:
// placement_endpoint_override.
//
// Source: openstacksdk/openstack/config/cloud_region.py, _get_config and its callers.
func serviceKeys() []string {
	return []string{"endpoint_override", "endpoint", "service_type", "service_name", "region_name", "interface", "endpoint_type", "api_version", "default_microversion"}
}

// serviceWay is how to reach one service of a cloud.
type serviceWay struct {
	endpoint gophercloud.EndpointOpts // which endpoint of the catalogue
	override string                   // its address, in place of that of the catalogue; "" for none
	most     int                      // the newest microversion to use; 0 for any
}

// way returns how to reach a service.
func (t target) way(name api.Service) (serviceWay, error) {
	of := func(key string) (value, where string) {
		key = strings.ReplaceAll(string(name), "-", "_") + "_" + key
		return t.keys[key], t.key(key)
	}
	w := serviceWay{endpoint: t.endpoint}
	w.endpoint.Type, _ = of("service_type")
	w.endpoint.Name, _ = of("service_name")
	if region, _ := of("region_name"); region != "" {
		w.endpoint.Region = region
	}
	if value, where := of("interface"); value != "" {
		at, ok := availability(value)
		if !ok {
			return w, t.wrong(where+" is "+clip(value), "write public, internal or admin")
		}
		w.endpoint.Availability = at
	}
	w.endpoint.ApplyDefaults(string(name))
	for _, key := range []string{"endpoint_override", "endpoint"} {
		value, where := of(key)
		if value == "" {
			continue
		}
		if !isAddress(value) {
			return w, t.wrong(where+" is not a URL without user and password", "write one such as https://HOST/"+string(name))
		}
		w.override = value
		break
	}
	for _, key := range []string{"api_version", "default_microversion"} {
		value, where := of(key)
		_, minor, ok := strings.Cut(value, ".")
		if !ok || minor == "0" || name == api.Compute && value == "2.1" { // these are versions of the API
			continue
		}
		n, err := strconv.Atoi(minor)
		if err != nil || n < 0 {
			if value == "latest" || minor == "latest" {
				continue
			}
			return w, t.wrong(where+" is "+clip(value), "write a microversion such as 1.39, or leave it out")
		}
		w.most = n
	}
	return w, nil
}

// isAddress reports whether a text is the address of a service.
func isAddress(text string) bool {
	u, err := url.Parse(strings.NewReplacer("%(", "(").Replace(text)) // these are filled in later
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && !holdsUser(u, text)
}

// versionedAt returns the address of the version of an API that is spoken here, whether or not the
// catalogue includes one.
func versionedAt(address string, of api.Service) string {
	version := map[api.Service]string{api.Compute: "/v2.1", api.Accelerator: "/v2"}[of]
	if slices.ContainsFunc([]string{"v2", "v2.0", "v2.1"}, func(v string) bool { return strings.Contains(address+"/", "/"+v+"/") }) {
		return address
	}
	return address + version
}

// availability returns the interface that a word means, and false if it means none.
func availability(word string) (gophercloud.Availability, bool) {
	switch strings.TrimSuffix(word, "URL") {
	case "public":
		return gophercloud.AvailabilityPublic, true
	case "internal":
		return gophercloud.AvailabilityInternal, true
	case "admin":
		return gophercloud.AvailabilityAdmin, true
	}
	return "", false
}

// tooLow says that the operator's newest microversion of a service is too old to be of
// use; nil if it is not.
func (s *service) tooLow(major, oldest int) error {
	if s.most == 0 || s.most >= oldest {
		return nil
	}
	return &FaultError{
		Service: string(s.name), Why: fmt.Sprintf("its microversion is set to %d.%d, and %d.%d is needed", major, s.most, major, oldest),
		Hint: "raise or remove " + strings.ReplaceAll(string(s.name), "-", "_") + "_default_microversion or _api_version in clouds.yaml",
	}
}
