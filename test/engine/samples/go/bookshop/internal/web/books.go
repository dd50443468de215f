package web

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"net/http"
	"strconv"

	"example.org/bookshop/internal/input"
)

// List shows books.
func (s *Site) List(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	query := r.URL.Query()
	title := input.Text(r, "title")
	books, err := s.books.ByTitle(ctx, title)
	if err != nil {
		http.Error(w, "no books", http.StatusInternalServerError)
		return
	}
	s.books.ByAuthor(ctx, query.Get("author"))
	s.books.Sorted(ctx, query.Get("sort"), query.Get("direction"))
	s.books.Grouped(ctx, query.Get("group"))
	s.books.Many(ctx, query["id"])
	s.search.Tagged(ctx, query.Get("tag"))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// vuln: xss
	fmt.Fprintf(w, "<h1>Books called %s</h1>", title)
	// safe: xss
	fmt.Fprintf(w, "<h2>%s</h2>", html.EscapeString(title))
	// safe: xss
	fmt.Fprintf(w, "<p>%d books</p>", len(books))
	// safe: xss
	page.Execute(w, struct{ Title string }{title})
}

// Show shows one book.
func (s *Site) Show(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "bad id", http.StatusBadRequest)
		return
	}
	book, err := s.books.ByID(r.Context(), id)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer, err := json.Marshal(book)
	if err != nil {
		return
	}
	// safe: xss
	w.Write(answer)
}

type note struct {
	Book int    `json:"book"`
	Text string `json:"text"`
}

// Import takes notes about books.
func (s *Site) Import(w http.ResponseWriter, r *http.Request) {
	var given note
	if err := json.NewDecoder(r.Body).Decode(&given); err != nil {
		http.Error(w, "bad note", http.StatusBadRequest)
		return
	}
	// vuln: xss
	io.WriteString(w, "<p>"+given.Text+"</p>")
	// safe: xss
	fmt.Fprintf(w, "<p>book %v</p>", given.Book)
	// vuln: xss
	page.Execute(w, struct{ Title template.HTML }{template.HTML(given.Text)})
	if next := r.FormValue("next"); next != "" {
		// vuln: open_redirect
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	// safe: open_redirect
	http.Redirect(w, r, "/books?note="+given.Text, http.StatusSeeOther)
}
