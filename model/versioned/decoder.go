package versioned

import "reflect"

// Decoder decodes many records, and gives equal texts of them one place in memory: the name
// of a host stands in many. It is for one goroutine.
type Decoder struct {
	codec *Codec
	texts map[string]string
}

// Decoder returns a Decoder that has read nothing yet.
func (c *Codec) Decoder() *Decoder { return &Decoder{codec: c, texts: map[string]string{}} }

// Decode is Codec.Decode for one record of many.
func (d *Decoder) Decode(kind Kind, b []byte) (Record, error) {
	r, err := d.codec.Decode(kind, b)
	if err == nil {
		d.share(reflect.ValueOf(r).Elem())
	}
	return r, err
}

// share makes the texts of v, which was just decoded, share memory with equal ones; those in
// maps are left as they are.
func (d *Decoder) share(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		text, ok := d.texts[v.String()]
		if !ok {
			text = v.String()
			d.texts[text] = text
		}
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			d.share(v.Elem())
		}
	case reflect.Slice:
		if hasTexts(v.Type()) {
			for i := range v.Len() {
				d.share(v.Index(i))
			}
		}
	case reflect.Struct:
		for _, i := range fieldsOf(v.Type()).texts {
			d.share(v.Field(i))
		}
	default: // holds no text, or is a map
	}
}
