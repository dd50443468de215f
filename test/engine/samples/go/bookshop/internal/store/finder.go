package store

import "context"

// Finder is what the services need of a store.
type Finder interface {
	FindByTag(ctx context.Context, tag string) ([]Book, error)
}

// FindByTag finds books by one of their tags.
func (b *Books) FindByTag(ctx context.Context, tag string) ([]Book, error) {
	// vuln: sql_injection
	rows, err := b.db.QueryContext(ctx, "SELECT id, title, price FROM books WHERE tag = '"+tag+"'")
	if err != nil {
		return nil, err
	}
	return scan(rows)
}
