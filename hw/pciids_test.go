package hw

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
)

const someIDs = "#\n# comment\n\n" +
	"10de  NVIDIA Corporation\n\t1eb8  TU104GL [Tesla T4]\n\t\t10de 12a2  Tesla T4\n" +
	"8086  Intel Corporation\n\t1eb8  Something else\n" +
	"C 03  Display controller\n\t02  3D controller\n"

func wanted() pciNames {
	return pciNames{
		{vendorID: 0x10de, vendor: true}: "", {vendorID: 0x10de, deviceID: 0x1eb8}: "",
		{vendorID: 0x1af4, vendor: true}: "",
	}
}

func TestPCINames(t *testing.T) {
	t.Parallel()
	names := wanted()
	must.Succeed(t, names.fill(strings.NewReader(someIDs)))
	for _, c := range []struct {
		vendor, device sysfs.ID
		want           [2]string
	}{
		{0x10de, 0x1eb8, [2]string{"NVIDIA Corporation", "TU104GL [Tesla T4]"}},
		{0x10de, 0x0000, [2]string{"NVIDIA Corporation", ""}},
		{0x1af4, 0x1000, [2]string{"", ""}}, // requested, but not in the database
		{0x8086, 0x1eb8, [2]string{"", ""}}, // in the database, but not requested
	} {
		v, d := names.of(c.vendor, c.device)
		if diff := cmp.Diff(c.want, [2]string{v, d}); diff != "" {
			t.Errorf("%s:%s (-want +got):\n%s", c.vendor, c.device, diff)
		}
	}
}

func FuzzPCINames(f *testing.F) {
	f.Add(someIDs)
	f.Add("10de\n\t1\nC \n10de  \n\t\t")
	f.Fuzz(func(t *testing.T, text string) {
		names := wanted()
		_ = names.fill(strings.NewReader(text)) // a line that is too long is an error, and nothing worse
		if len(names) != len(wanted()) {
			t.Fatalf("%d names, want those asked for only", len(names))
		}
	})
}
