package diskfile

import (
	"fmt"
	"io"
	"os"
)

// MostText is how long a file may be that ReadText reads, in bytes.
const MostText = 4 << 20

// ReadText reads a file that people write, such as a configuration. Such a file is short:
// a longer one is another one named by mistake, and a device may have no end at all.
func ReadText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, MostText+1))
	if err == nil && len(text) > MostText {
		return nil, &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is longer than %d MiB", MostText>>20)}
	}
	return text, err
}
