package main

import (
	"crypto/tls"
	"database/sql"
	"log"
	"net/http"
	"time"

	"example.org/bookshop/internal/admin"
	"example.org/bookshop/internal/api"
	"example.org/bookshop/internal/store"
	"example.org/bookshop/internal/web"
)

func main() {
	db, err := sql.Open("postgres", "postgres://localhost/books")
	if err != nil {
		log.Fatal(err)
	}
	books := store.NewBooks(db)
	site := web.NewSite(books, "/srv/books")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /books", site.List)
	mux.HandleFunc("GET /books/{id}", site.Show)
	mux.HandleFunc("POST /books/import", site.Import)
	mux.HandleFunc("GET /cover", site.Cover)
	mux.HandleFunc("GET /preview", site.Preview)
	mux.Handle("/api/", api.Router(db))
	mux.Handle("/admin/", admin.Router(db))
	server := &http.Server{
		Addr:         ":8443",
		Handler:      mux,
		ReadTimeout:  5 * time.Second,
		WriteTimeout: 10 * time.Second,
		// safe: tls_verification
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	log.Fatal(server.ListenAndServeTLS("cert.pem", "key.pem"))
}
