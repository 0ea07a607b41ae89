package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/placetop/placetop/model/api"
)

// page is how many items of a list are requested at a time, and mostPages the most pages
// that are read: a cloud keeps its migrations for ever, and returns the newest first. A
// page may come in up to mostParts if [api] max_limit is lower.
const (
	page      = 1000
	mostPages = 100
	mostMoves = 3
	mostParts = 20
)

// readList reads a list that has no pages, and returns its length.
func (r *reader) readList(ctx context.Context, of api.Service, path string, answer *list) (int, error) {
	if err := r.call.read(ctx, of, path, answer); err != nil {
		return 0, err
	}
	return answer.rows.Len(), nil
}

// pagedRow is a row after which the next page can begin; one without a marker has no identity.
type pagedRow interface{ marker() string }

func (f *novaFlavor) marker() string     { return f.ID }
func (h *novaHypervisor) marker() string { return uuidText(h.ID) }
func (s *novaServer) marker() string     { return uuidText(s.ID) }
func (m *novaMigration) marker() string  { return uuidText(m.UUID) }

// uuidText returns a uuid as text, "" for none.
func uuidText(id interface {
	IsZero() bool
	String() string
},
) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// pagesOf is listOf for a list that has pages.
func pagesOf[T any, P interface {
	*T
	pagedRow
}](key string, into *[]T) *list {
	return listOf(key, into)
}

// midway returns err, of the page after a marker, with what to do if there is no such row any more.
func midway(err error, marker string) error {
	if f := withStatus(err, http.StatusBadRequest); f != nil && marker != "" {
		f.Hint = "the list changed while it was read: try again"
	}
	return err
}

// readPages reads a list in pages: as many items as most full pages have, and at most
// mostInAll bytes. A service may return fewer than requested, and then says that there
// are more. Rows that come twice alike are taken once.
//
// Errors: *cutError if not all of it could be read; the service's answer.
//
// Source: nova/api/openstack/common.py, get_limit_and_marker and _get_collection_links.
func (r *reader) readPages(ctx context.Context, path string, most int, into *list) (int, error) {
	all := reflect.New(into.into.Type()).Elem()
	seen := map[string]int{} // the first row of each
	marker, nameless, size := "", 0, int64(0)
	var cut error
	for tries := 0; cut == nil; tries++ {
		if tries == most*mostParts || all.Len() >= most*page || size >= mostInAll {
			cut = &cutError{what: fmt.Sprintf("only the first %d were read", all.Len())}
			break
		}
		answer := list{key: into.key, most: page, into: reflect.New(into.into.Type()).Elem()}
		path := strings.Replace(path+"&limit="+fmt.Sprint(page)+marker, "?&", "?", 1)
		if err := r.call.read(ctx, api.Compute, path, &answer); err != nil {
			return 0, midway(err, marker)
		}
		n, had, last := answer.rows.Len(), len(seen), ""
		for i := range n {
			row := answer.rows.Index(i)
			last = row.Addr().Interface().(pagedRow).marker() // a list of pagesOf
			first, twice := seen[last]
			switch {
			case last == "":
				nameless++
			case !twice:
				seen[last], all = all.Len(), reflect.Append(all, row)
			case !reflect.DeepEqual(all.Index(first).Interface(), row.Interface()): // as of two cells
				all = reflect.Append(all, row)
			}
		}
		size += answer.size
		switch {
		case n < page && !answer.more:
			if nameless > 0 {
				cut = &cutError{what: fmt.Sprintf("%d of them have no uuid", nameless)}
			}
			into.into.Set(all)
			into.early = n == 0
			return all.Len(), cut
		case len(seen) == had || last == "":
			cut = &cutError{what: fmt.Sprintf("only %d were read: the next page does not continue the list", all.Len())}
		}
		marker = "&marker=" + url.QueryEscape(last)
	}
	into.into.Set(all)
	return all.Len(), cut
}
