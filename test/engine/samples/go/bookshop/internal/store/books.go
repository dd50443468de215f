// Package store talks to the database.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Book is one row.
type Book struct {
	ID    int64
	Title string
	Price float64
}

// Books reads and writes books.
type Books struct {
	db *sql.DB
}

// NewBooks opens the store.
func NewBooks(db *sql.DB) *Books { return &Books{db: db} }

// ByTitle finds books by a part of their title.
func (b *Books) ByTitle(ctx context.Context, title string) ([]Book, error) {
	query := "SELECT id, title, price FROM books WHERE title LIKE '%" + title + "%'"
	// vuln: sql_injection
	rows, err := b.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scan(rows)
}

// ByAuthor finds books by their author.
func (b *Books) ByAuthor(ctx context.Context, author string) ([]Book, error) {
	// safe: sql_injection
	rows, err := b.db.QueryContext(ctx, "SELECT id, title, price FROM books WHERE author = $1", author)
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

// ByID finds one book.
func (b *Books) ByID(ctx context.Context, id int) (*Book, error) {
	var book Book
	// safe: sql_injection
	row := b.db.QueryRowContext(ctx, fmt.Sprintf("SELECT id, title, price FROM books WHERE id = %d", id))
	err := row.Scan(&book.ID, &book.Title, &book.Price)
	return &book, err
}

// Sorted lists books in an order.
func (b *Books) Sorted(ctx context.Context, column, direction string) ([]Book, error) {
	if !isColumn(column) {
		column = "title"
	}
	if direction != "DESC" {
		direction = "ASC"
	}
	// safe: sql_injection
	rows, err := b.db.QueryContext(ctx, "SELECT id, title, price FROM books ORDER BY "+column+" "+direction)
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

// Grouped lists books with an order that is taken as it comes.
func (b *Books) Grouped(ctx context.Context, order string) ([]Book, error) {
	var text strings.Builder
	text.WriteString("SELECT id, title, price FROM books")
	text.WriteString(" ORDER BY ")
	text.WriteString(order)
	// vuln: sql_injection
	rows, err := b.db.QueryContext(ctx, text.String())
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

// Many finds several books.
func (b *Books) Many(ctx context.Context, ids []string) ([]Book, error) {
	holes := make([]string, 0, len(ids))
	args := make([]any, 0, len(ids))
	for i, id := range ids {
		holes = append(holes, fmt.Sprintf("$%d", i+1))
		args = append(args, id)
	}
	query := "SELECT id, title, price FROM books WHERE id IN (" + strings.Join(holes, ",") + ")"
	// safe: sql_injection
	rows, err := b.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return scan(rows)
}

func isColumn(name string) bool {
	switch name {
	case "title", "price", "author":
		return true
	}
	return false
}

func scan(rows *sql.Rows) ([]Book, error) {
	var books []Book
	for rows.Next() {
		var book Book
		if err := rows.Scan(&book.ID, &book.Title, &book.Price); err != nil {
			return nil, err
		}
		books = append(books, book)
	}
	return books, rows.Err()
}
