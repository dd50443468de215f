// Package service holds what is neither web nor database.
package service

import (
	"context"

	"example.org/bookshop/internal/store"
)

// Search looks for books.
type Search struct {
	finder store.Finder
}

// NewSearch makes a search over a store.
func NewSearch(finder store.Finder) *Search { return &Search{finder: finder} }

// Tagged looks for a tag.
func (s *Search) Tagged(ctx context.Context, tag string) ([]store.Book, error) {
	return s.finder.FindByTag(ctx, tag)
}
