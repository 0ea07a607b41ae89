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
	ID           object.Field[int64]     `field:"id"`
	InstanceUUID object.Field[uuid.UUID] `field:"instance_uuid"`
	Code         object.Field[int64]     `field:"code"` // HTTP status
	Message      object.Field[string]    `field:"message,null"`
	Details      object.Field[string]    `field:"details,null"`
	Host         object.Field[string]    `field:"host,null"`
}

// InstanceInfoCache is what Nova has cached about an instance's ports.
//
// Source: nova/objects/instance_info_cache.py.
type InstanceInfoCache struct {
	object.Header
	object.Persistent
	InstanceUUID object.Field[uuid.UUID] `field:"instance_uuid"`
	NetworkInfo  object.Field[string]    `field:"network_info,null"` // JSON
}

// SecurityGroup is a security group of an instance.
//
// Source: nova/objects/security_group.py.
type SecurityGroup struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]     `field:"id"`
	Name        object.Field[string]    `field:"name"`
	Description object.Field[string]    `field:"description"`
	UserID      object.Field[string]    `field:"user_id"`
	ProjectID   object.Field[string]    `field:"project_id"`
	UUID        object.Field[uuid.UUID] `field:"uuid"`
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
	ResourceID object.Field[string] `field:"resource_id"`
	Tag        object.Field[string] `field:"tag"`
}

// TagList is a list of tags.
type TagList struct{ object.Sequence[*Tag] }

// EC2Ids are the ids of an instance in the EC2 API.
//
// Source: nova/objects/ec2.py.
type EC2Ids struct {
	object.Header
	InstanceID object.Field[string] `field:"instance_id,once"`
	AMIID      object.Field[string] `field:"ami_id,null,once"`
	KernelID   object.Field[string] `field:"kernel_id,null,once"`
	RamdiskID  object.Field[string] `field:"ramdisk_id,null,once"`
}

// KeyPair is a public key that an instance was given.
//
// Source: nova/objects/keypair.py.
type KeyPair struct {
	object.Header
	object.Persistent
	ID          object.Field[int64]  `field:"id"`
	Name        object.Field[string] `field:"name"`
	UserID      object.Field[string] `field:"user_id,null"`
	Fingerprint object.Field[string] `field:"fingerprint,null"`
	PublicKey   object.Field[string] `field:"public_key,null"`
	Type        object.Field[string] `field:"type"`
}

// KeyPairList is a list of key pairs.
type KeyPairList struct{ object.Sequence[*KeyPair] }

// TrustedCerts are the certificates used to verify the image of an instance.
//
// Source: nova/objects/trusted_certs.py.
type TrustedCerts struct {
	object.Header
	IDs object.Field[[]string] `field:"ids"`
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	instanceFaultHistory = []object.Note{
		first(),
		unicode(),
		why("added create"),
	}
	instanceInfoCacheHistory = []object.Note{
		first(),
		why("network_info holds the model"),
		why("added new"),
		why("added delete"),
		unicode(),
		why("the fields of a row are set"),
	}
	securityGroupHistory = []object.Note{
		first(),
		unicode(),
		adds("uuid"),
	}
	securityGroupListHistory = []object.Note{
		pins("SecurityGroup", "1.1"),
		why("added get_counts"),
	}
	tagHistory = []object.Note{
		first(),
		why("added exists"),
	}
	tagListHistory = []object.Note{
		pins("Tag", "1.0"),
		pins("Tag", "1.1"),
	}
	keyPairHistory = []object.Note{
		first(),
		unicode(),
		adds("type"),
		why("name is never null"),
		why("added localonly to get_by_name"),
	}
	keyPairListHistory = []object.Note{
		pins("KeyPair", "1.1"),
		pins("KeyPair", "1.2"),
		pins("KeyPair", "1.3"),
		why("added pages to get_by_user"),
	}
)

func instancePartClasses() []object.Class {
	return []object.Class{
		plain[*InstanceFault](1, instanceFaultHistory...),
		plain[*InstanceInfoCache](1, instanceInfoCacheHistory...),
		plain[*SecurityGroup](1, securityGroupHistory...),
		list[*SecurityGroupList](1, securityGroupListHistory...),
		plain[*Tag](1, tagHistory...),
		list[*TagList](1, tagListHistory...),
		plain[*EC2Ids](1, initial...),
		plain[*KeyPair](1, keyPairHistory...),
		list[*KeyPairList](1, keyPairListHistory...),
		plain[*TrustedCerts](1, initial...),
	}
}
