package objects

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// InstanceFault is the last error of an instance.
//
// Source: nova/objects/instance_fault.py.
type InstanceFault struct {
	object.Header
	object.Persistent
	ID           object.Field[int64]
	InstanceUUID object.Field[uuid.UUID]
	Code         object.Field[int64] // HTTP status
	Message      object.Field[string]
	Details      object.Field[string]
	Host         object.Field[string]
}

// NewInstanceFault returns an InstanceFault with nothing set.
func NewInstanceFault() *InstanceFault {
	f := new(InstanceFault)
	f.Bind("InstanceFault", f.Members(
		f.ID.As("id", object.Integer{}),
		f.InstanceUUID.As("instance_uuid", object.UUID{}),
		f.Code.As("code", object.Integer{}),
		f.Message.As("message", object.String{}, object.Nullable),
		f.Details.As("details", object.String{}, object.Nullable),
		f.Host.As("host", object.String{}, object.Nullable),
	)...)
	return f
}

// InstanceInfoCache is what Nova remembers of an instance's ports.
//
// Source: nova/objects/instance_info_cache.py.
type InstanceInfoCache struct {
	object.Header
	object.Persistent
	InstanceUUID object.Field[uuid.UUID]
	NetworkInfo  object.Field[string] // JSON
}

// NewInstanceInfoCache returns an InstanceInfoCache with nothing set.
func NewInstanceInfoCache() *InstanceInfoCache {
	c := new(InstanceInfoCache)
	c.Bind("InstanceInfoCache", c.Members(
		c.InstanceUUID.As("instance_uuid", object.UUID{}),
		c.NetworkInfo.As("network_info", object.String{}, object.Nullable),
	)...)
	return c
}

// SecurityGroup is a security group of an instance.
//
// Source: nova/objects/security_group.py.
type SecurityGroup struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]
	Name        object.Field[string]
	Description object.Field[string]
	UserID      object.Field[string]
	ProjectID   object.Field[string]
	UUID        object.Field[uuid.UUID]
}

// NewSecurityGroup returns a SecurityGroup with nothing set.
func NewSecurityGroup() *SecurityGroup {
	g := new(SecurityGroup)
	g.Bind("SecurityGroup", g.Members(
		g.ID.As("id", object.Integer{}),
		g.Name.As("name", object.String{}),
		g.Description.As("description", object.String{}),
		g.UserID.As("user_id", object.String{}),
		g.ProjectID.As("project_id", object.String{}),
		g.UUID.As("uuid", object.UUID{}),
	)...)
	return g
}

// SecurityGroupList is a list of security groups.
type SecurityGroupList struct {
	object.Sequence[*SecurityGroup]
}

// Tag is a word that a user put on an instance.
//
// Source: nova/objects/tag.py.
type Tag struct {
	object.Header
	ResourceID object.Field[string]
	Tag        object.Field[string]
}

// NewTag returns a Tag with nothing set.
func NewTag() *Tag {
	t := new(Tag)
	t.Bind("Tag",
		t.ResourceID.As("resource_id", object.String{}),
		t.Tag.As("tag", object.String{}))
	return t
}

// TagList is a list of tags.
type TagList struct{ object.Sequence[*Tag] }

// EC2Ids are the ids of an instance in the EC2 API.
//
// Source: nova/objects/ec2.py.
type EC2Ids struct {
	object.Header
	InstanceID object.Field[string]
	AMIID      object.Field[string]
	KernelID   object.Field[string]
	RamdiskID  object.Field[string]
}

// NewEC2Ids returns an EC2Ids with nothing set.
func NewEC2Ids() *EC2Ids {
	e := new(EC2Ids)
	e.Bind("EC2Ids",
		e.InstanceID.As("instance_id", object.String{}, object.ReadOnly),
		e.AMIID.As("ami_id", object.String{}, object.Nullable, object.ReadOnly),
		e.KernelID.As("kernel_id", object.String{}, object.Nullable, object.ReadOnly),
		e.RamdiskID.As("ramdisk_id", object.String{}, object.Nullable, object.ReadOnly))
	return e
}

// KeyPair is a public key that an instance was given.
//
// Source: nova/objects/keypair.py.
type KeyPair struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]
	Name        object.Field[string]
	UserID      object.Field[string]
	Fingerprint object.Field[string]
	PublicKey   object.Field[string]
	Type        object.Field[string]
}

// NewKeyPair returns a KeyPair with nothing set.
func NewKeyPair() *KeyPair {
	k := new(KeyPair)
	k.Bind("KeyPair", k.Members(
		k.ID.As("id", object.Integer{}),
		k.Name.As("name", object.String{}),
		k.UserID.As("user_id", object.String{}, object.Nullable),
		k.Fingerprint.As("fingerprint", object.String{}, object.Nullable),
		k.PublicKey.As("public_key", object.String{}, object.Nullable),
		k.Type.As("type", object.String{}),
	)...)
	return k
}

// KeyPairList is a list of key pairs.
type KeyPairList struct{ object.Sequence[*KeyPair] }

// TrustedCerts are the certificates by which the image of an instance is checked.
//
// Source: nova/objects/trusted_certs.py.
type TrustedCerts struct {
	object.Header
	IDs object.Field[[]string]
}

// NewTrustedCerts returns a TrustedCerts with nothing set.
func NewTrustedCerts() *TrustedCerts {
	t := new(TrustedCerts)
	t.Bind("TrustedCerts", t.IDs.As("ids", object.List(object.String{})))
	return t
}

func instancePartClasses() []object.Class {
	return []object.Class{
		class(NewInstanceFault, "InstanceFault", 1, first(), unicode(), why("added create")),
		class(NewInstanceInfoCache, "InstanceInfoCache", 1,
			first(),
			why("network_info holds the model"),
			why("added new"),
			why("added delete"),
			unicode(),
			why("the fields of a row are set"),
		),
		class(NewSecurityGroup, "SecurityGroup", 1, first(), unicode(), adds("uuid")),
		list[*SecurityGroupList]("SecurityGroup", 1, pins("SecurityGroup", "1.1"), why("added get_counts")),
		class(NewTag, "Tag", 1, first(), why("added exists")),
		list[*TagList]("Tag", 1, pins("Tag", "1.0"), pins("Tag", "1.1")),
		class(NewEC2Ids, "EC2Ids", 1, first()),
		class(NewKeyPair, "KeyPair", 1,
			first(),
			unicode(),
			adds("type"),
			why("name is never null"),
			why("added localonly to get_by_name"),
		),
		list[*KeyPairList]("KeyPair", 1,
			pins("KeyPair", "1.1"),
			pins("KeyPair", "1.2"),
			pins("KeyPair", "1.3"),
			why("added pages to get_by_user"),
		),
		class(NewTrustedCerts, "TrustedCerts", 1, first()),
	}
}
