package schema

import "testing"

func TestBundleCompiles(t *testing.T) {
	b, err := EntityContextSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Check("reviews.schema.json", []byte(`{"reviews":[],"threads":[{}]}`))
	t.Log(v, err)
}
