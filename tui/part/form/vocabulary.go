package form

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
)

// ProjectNames returns the projects that consumers are of.
func ProjectNames(s *cloud.Snapshot) []string {
	return tallied(s, func(t *placement.Tally) string { return t.Project })
}

// UserNames returns the users that consumers are of.
func UserNames(s *cloud.Snapshot) []string {
	return tallied(s, func(t *placement.Tally) string { return t.User })
}

// typeNames returns the types of consumers.
func typeNames(s *cloud.Snapshot) []string {
	return append(tallied(s, func(t *placement.Tally) string { return string(t.Type) }), string(placement.InstanceConsumer), string(placement.MigrationConsumer))
}

func tallied(s *cloud.Snapshot, name func(*placement.Tally) string) []string {
	var out []string
	for t := range s.Placement().Tallies("", "") {
		out = append(out, name(t))
	}
	return out
}

// instanceNames returns the names of instances that begin with a text.
func instanceNames(s *cloud.Snapshot, text string) []string {
	var out []string
	for i := range s.Nova().Instances() {
		if i.VMState != nova.Deleted && strings.HasPrefix(i.Name, text) {
			out = append(out, i.Name)
		}
	}
	return out
}

// consumerByText returns the consumer for a text: a uuid, or the name of an instance.
func consumerByText(s *cloud.Snapshot, text string) (placement.ConsumerID, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return placement.ConsumerID{}, &Fault{Text: "a uuid, or the name of an instance"}
	}
	id, err := placement.ParseConsumerID(text)
	if err == nil && !id.IsZero() {
		return id, nil
	}
	var found []placement.ConsumerID
	for i := range s.Nova().Instances() {
		if i.Name == text && i.VMState != nova.Deleted {
			found = append(found, i.UUID)
		}
	}
	switch len(found) {
	case 0:
		return placement.ConsumerID{}, &Fault{Text: "is neither a uuid nor the name of an instance"}
	case 1:
		return found[0], nil
	default:
		return placement.ConsumerID{}, &Fault{Text: fmt.Sprintf("%d instances have this name: give the uuid, such as %s", len(found), found[0])}
	}
}

// checkConsumer returns why a text cannot be the consumer of a new allocation.
func checkConsumer(s *cloud.Snapshot, text string) error {
	id, err := consumerByText(s, text)
	if err != nil {
		return err
	}
	if c, ok := s.Placement().Consumer(id); ok {
		return &Fault{Text: fmt.Sprintf("holds %s already: release that first", panel.Held(s.Placement(), c, nil))}
	}
	return nil
}

// noteConsumer says what a consumer is, and what one that only Placement knows holds:
// checkConsumer refuses it until that is released.
func noteConsumer(s *cloud.Snapshot, text string) string {
	id, err := consumerByText(s, text)
	if err != nil {
		return ""
	}
	c, holds := s.Placement().Consumer(id)
	if i, ok := s.Nova().Instance(id); ok {
		note := fmt.Sprintf("instance %s, %s", i.Name, i.VMState)
		if i.Host != "" {
			note += " on " + i.Host
		}
		if holds {
			return note + ", holds " + panel.Held(s.Placement(), c, nil)
		}
		return note + ", holds nothing"
	}
	if _, ok := s.Nova().Migration(id); ok {
		return panel.ConsumerName(s, id)
	}
	if holds {
		return "refused until released: holds " + panel.Held(s.Placement(), c, nil) + ", unknown to Nova"
	}
	return "a new consumer: this uuid is not used"
}

// ProviderByText returns the provider that a text means: a uuid, or a name; the
// zero id for an empty text.
func ProviderByText(s *placement.Snapshot, text string) (placement.ProviderID, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return placement.ProviderID{}, nil
	}
	id, err := placement.ParseProviderID(text)
	if err == nil {
		if _, ok := s.Provider(id); ok {
			return id, nil
		}
	}
	if p, ok := s.ProviderByName(text); ok {
		return p.ID(), nil
	}
	return placement.ProviderID{}, &Fault{Text: "no provider has this name or uuid"}
}

// completeTraits completes the last trait of a list.
func completeTraits(s *placement.Snapshot, text string) []string {
	at := strings.LastIndexAny(text, ",!:") + 1
	word, sharing := strings.ToUpper(strings.TrimSpace(text[at:])), []string{}
	for _, t := range s.Traits() {
		if word != "" && strings.HasPrefix(string(t), word) {
			sharing = append(sharing, text[:at]+string(t))
		}
	}
	return First(sharing)
}

// CompleteProvider completes the name of a provider.
func CompleteProvider(s *placement.Snapshot, text string) []string {
	var out []string
	for p := range s.Providers() {
		if strings.HasPrefix(p.Name(), text) {
			if out = append(out, p.Name()); len(out) == mostCompletions {
				break
			}
		} else if p.Name() > text {
			break
		}
	}
	return out
}
