package cyborg

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// MarshalAPI returns p as GET /v2/device_profiles/{uuid} gives it.
//
// Source: cyborg/api/controllers/v2/device_profiles.py, DeviceProfile.
func (p *DeviceProfile) MarshalAPI() ([]byte, error) {
	type link struct {
		Href string `json:"href"`
		Rel  string `json:"rel"`
	}
	body := struct {
		UUID        uuid.UUID           `json:"uuid"`
		Name        string              `json:"name"`
		Description *string             `json:"description"`
		Groups      []map[string]string `json:"groups"`
		Created     *string             `json:"created_at"`
		Updated     *string             `json:"updated_at"` // a profile is never changed
		Links       []link              `json:"links"`
	}{
		UUID: p.UUID, Name: p.Name, Groups: p.Groups,
		Links: []link{{Href: "/v2/device_profiles/" + p.UUID.String(), Rel: "self"}},
	}
	if p.Description != "" {
		body.Description = &p.Description
	}
	if p.Created != 0 {
		created := time.UnixMilli(p.Created).UTC().Format("2006-01-02 15:04:05+00:00")
		body.Created = &created
	}
	return json.Marshal(body)
}
