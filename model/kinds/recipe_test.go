package kinds

import (
	"encoding/json"
	"iter"
	"slices"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest/must"
)

// shelf is a record of no ledger.
type shelf struct {
	name  string
	Books int64 `json:"books"`
	about []string
}

// shelves returns a kind written as the package comment says.
func shelves() *Kind {
	return &Kind{
		Name: "shelves", Short: "Shelves", What: "the name of a shelf",
		Fields: []*Field{
			text("name", func(s *shelf) string { return s.name }),
			counted("subjects", "about", func(s *shelf) int { return len(s.about) }, func(_ At, s *shelf, words []string) []string {
				return append(words, s.about...)
			}),
		},
		Columns: "name subjects",
		Rows: func(At, bool) iter.Seq[Row] {
			return slices.Values([]Row{&shelf{"low", 30, []string{"go", "sql"}}, &shelf{"high", 4, nil}, &shelf{"mid", 12, []string{"go"}}})
		},
		Find: just(func(_ Finder, name string) (*shelf, error) { return &shelf{name: name}, nil }),
	}
}

// TestRecipe adds a column to a kind as the package comment says, and checks that
// everything that reads kinds has it.
func TestRecipe(t *testing.T) {
	t.Parallel()
	k := shelves()
	k.Fields = append(k.Fields, recorded[shelf]()("books").in(filter.MB).short("size"))
	k.Columns += " books"

	a := must.Get(k.Get(Query{At: At{Snap: cloud.Empty()}, Where: "size>10 & about=go", Sort: "-books"}))(t)
	doc := must.Get(json.Marshal(a.Records()))(t)
	if want := `[{"name":"low","subjects":["go","sql"],"books":30},{"name":"mid","subjects":["go"],"books":12}]`; string(doc) != want {
		t.Errorf("got  %s\nwant %s", doc, want)
	}
	var row []string
	for _, c := range k.TableColumns() {
		text, _ := c.Cell(a.At)(a.Rows[0])
		row = append(row, c.Name+" "+text)
	}
	if want := []string{"name low", "subjects 2", "books 30"}; !slices.Equal(row, want) {
		t.Errorf("got %q, want %q", row, want)
	}
	if got, want := k.Asked(), []string{"about", "name", "size"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if one, err := k.Get(Query{At: At{Snap: cloud.Empty()}, Name: "top"}); err != nil || !one.One || len(one.Rows) != 1 {
		t.Errorf("got %+v, %v", one, err)
	}
}
