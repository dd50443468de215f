// Package web answers browsers.
package web

import (
	"html/template"

	"example.org/bookshop/internal/service"
	"example.org/bookshop/internal/store"
)

// Site holds what the handlers need.
type Site struct {
	books  *store.Books
	search *service.Search
	root   string
}

// NewSite makes the site.
func NewSite(books *store.Books, root string) *Site {
	return &Site{books: books, search: service.NewSearch(books), root: root}
}

var page = template.Must(template.New("page").Parse("<h1>{{.Title}}</h1>"))
