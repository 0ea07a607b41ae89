package remote

import (
	"errors"
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/placement"
)

// TestServerIsBusy takes Nova's refusal of an action for a conflict where something else was
// done to the server meanwhile.
func TestServerIsBusy(t *testing.T) {
	t.Parallel()
	for message, conflict := range map[string]bool{
		"Cannot 'resize' instance 1 while it is in task_state image_snapshot": true,
		"Cannot 'confirmResize' instance 1 while it is in vm_state active":    true,
		"Instance 1 is locked": false,
	} {
		err := faultOf("compute", "POST /servers/1/action", gophercloud.ErrUnexpectedResponseCode{
			Actual: http.StatusConflict, ResponseHeader: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"conflictingRequest":{"code":409,"message":"` + message + `"}}`),
		})
		if errors.Is(err, placement.ErrConflict) != conflict || !errors.Is(err, placement.ErrState) {
			t.Errorf("%s: %#v", message, err)
		}
	}
}
