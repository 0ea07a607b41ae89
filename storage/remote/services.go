package remote

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"gopkg.in/yaml.v2"

	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage/diskfile"
)

// serviceKeys are the keys of clouds.yaml that exist for each service, after its type:
// placement_endpoint_override.
//
// Source: openstacksdk/openstack/config/cloud_region.py, _get_config and its callers.
func serviceKeys() []string {
	return []string{"endpoint_override", "endpoint", "service_type", "service_name", "region_name", "interface", "endpoint_type", "api_version", "default_microversion"}
}

// cloudKeys are the keys of a cloud that have a plain value, as openstacksdk spells them,
// and its regions.
type cloudKeys struct {
	text    map[string]string
	regions []regionKeys
}

// regionKeys are a region of a cloud, and the keys that it has for itself.
type regionKeys struct {
	Name   string    `yaml:"name"`
	Values cloudKeys `yaml:"values"`
}

// plainText is a value as the file has it, "" for a list or a table.
type plainText string

func (p *plainText) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) == nil { // the other values are not for here
		*p = plainText(text)
	}
	return nil
}

func (k *cloudKeys) UnmarshalYAML(unmarshal func(any) error) error {
	var all map[string]plainText
	var of struct {
		Regions []regionKeys `yaml:"regions"`
	}
	if unmarshal(&all) != nil || unmarshal(&of) != nil {
		return nil //nolint:nilerr // check says what is wrong with this cloud, and the others are of no concern
	}
	k.text, k.regions = map[string]string{}, of.Regions
	for key, text := range all {
		if text != "" {
			k.text[strings.ReplaceAll(key, "-", "_")] = string(text)
		}
	}
	for key, text := range maps.Clone(k.text) {
		if of, former := strings.CutSuffix(key, "endpoint_type"); former {
			k.text[of+"interface"] = text
		}
	}
	return nil
}

func (r *regionKeys) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&r.Name) == nil {
		return nil
	}
	type plain regionKeys
	return unmarshal((*plain)(r))
}

// keys returns what is said of the cloud: in secure.yaml, clouds.yaml or its profile, in
// this order, and before all of these for its region.
//
// Source: openstacksdk/openstack/config/loader.py, _get_region and get_one.
func (d description) keys() (map[string]string, error) {
	type file struct {
		Clouds  map[string]cloudKeys `yaml:"clouds"`
		Vendors map[string]cloudKeys `yaml:"public-clouds"`
	}
	var main, secure, public file
	for _, of := range []struct {
		where string
		text  []byte
		into  *file
	}{{d.where, d.main, &main}, {secureFile(d.where), d.secure, &secure}} {
		if err := yaml.Unmarshal(of.text, of.into); err != nil {
			return nil, unreadable(of.where, err)
		}
	}
	own, apart := main.Clouds[d.name], secure.Clouds[d.name]
	if profile := cmp.Or(apart.text["profile"], own.text["profile"], apart.text["cloud"], own.text["cloud"]); profile != "" {
		for _, path := range publicFiles() {
			if text, err := diskfile.ReadText(path); err == nil {
				if err := yaml.Unmarshal(text, &public); err != nil {
					return nil, unreadable(path, err)
				}
				break
			}
		}
		own.regions = slices.Concat(own.regions, public.Vendors[profile].regions)
		public.Clouds = map[string]cloudKeys{d.name: public.Vendors[profile]}
	}
	keys := map[string]string{}
	for _, of := range []file{public, main, secure} {
		maps.Copy(keys, of.Clouds[d.name].text)
	}
	regions := slices.Concat(apart.regions, own.regions)
	if len(regions) == 0 {
		return keys, nil
	}
	region := cmp.Or(os.Getenv("OS_REGION_NAME"), keys["region_name"], regions[0].Name)
	i := slices.IndexFunc(regions, func(r regionKeys) bool { return r.Name == region })
	if i < 0 {
		var names []string
		for _, r := range regions {
			names = append(names, clip(r.Name))
		}
		sorted.Ascending(names)
		return nil, d.wrong("cloud "+d.name+" has no region "+clip(region), "use one of its regions "+strings.Join(slices.Compact(names), ", ")+" for region_name or OS_REGION_NAME")
	}
	maps.Copy(keys, regions[i].Values.text)
	keys["region_name"] = region
	return keys, nil
}

// serviceWay is how to reach one service of a cloud.
type serviceWay struct {
	endpoint gophercloud.EndpointOpts // which endpoint of the catalogue
	override string                   // its address, in place of that of the catalogue; "" for none
	most     int                      // the newest microversion to use; 0 for any
}

// way returns how to reach a service.
func (t target) way(name wire.Service) (serviceWay, error) {
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
		if !ok || minor == "0" || name == wire.Compute && value == "2.1" { // these are versions of the API
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
