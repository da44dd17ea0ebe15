// Package family names the document families that the stages know beside snapshots of
// entities, and how the documents of each are read.
package family

import (
	"snapline/pkg/contract"
	"snapline/pkg/family/canon"
	"snapline/pkg/family/document"
	"snapline/pkg/family/msp"
)

// Readers gives the reader of each family's documents.
var Readers = map[contract.Family]document.Family{
	contract.FamilyCanon: canon.Read,
	contract.FamilyMSP:   msp.Read,
}
