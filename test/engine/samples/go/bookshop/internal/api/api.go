// Package api answers programs.
package api

import (
	"crypto/md5"
	crand "crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand"
	"net/http"
	"os/exec"

	"github.com/gin-gonic/gin"
	"gorm.io/gorm"
)

// API holds what the handlers need.
type API struct {
	db  *sql.DB
	orm *gorm.DB
}

type search struct {
	Title string `json:"title"`
	Page  int    `json:"page"`
}

var orders = []string{"title", "price"}

// Router makes the routes.
func Router(db *sql.DB) http.Handler {
	a := &API{db: db}
	router := gin.New()
	group := router.Group("/api")
	group.GET("/users/:id", a.user)
	group.POST("/search", a.find)
	group.GET("/tools/ping", func(c *gin.Context) {
		host := c.DefaultQuery("host", "localhost")
		// vuln: command_injection
		out, _ := exec.Command("bash", "-c", fmt.Sprintf("ping -c 1 %s", host)).Output()
		c.String(http.StatusOK, string(out))
	})
	group.GET("/page", func(c *gin.Context) {
		// vuln: xss
		c.Data(http.StatusOK, "text/html; charset=utf-8", []byte("<b>"+c.Query("name")+"</b>"))
	})
	group.GET("/text", func(c *gin.Context) {
		// safe: xss
		c.String(http.StatusOK, "<b>%s</b>", c.Query("name"))
	})
	return router
}

func (a *API) user(c *gin.Context) {
	id := c.Param("id")
	var name string
	// vuln: sql_injection
	a.db.QueryRow("SELECT name FROM users WHERE id = " + id).Scan(&name)
	// safe: sql_injection
	a.db.QueryRow("SELECT name FROM users WHERE id = $1", id).Scan(&name)
	// safe: xss
	c.JSON(http.StatusOK, gin.H{"name": name, "id": id})
}

func (a *API) find(c *gin.Context) {
	var given search
	if err := c.ShouldBindJSON(&given); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": "bad search"})
		return
	}
	var titles []string
	// vuln: sql_injection
	a.orm.Raw("SELECT title FROM books WHERE title = '" + given.Title + "'").Scan(&titles)
	// safe: sql_injection
	a.orm.Raw("SELECT title FROM books WHERE title = ?", given.Title).Scan(&titles)
	// vuln: sql_injection
	a.orm.Table("books").Where(fmt.Sprintf("title = '%s'", given.Title)).Find(&titles)
	// safe: sql_injection
	a.orm.Table("books").Where("title = ?", given.Title).Offset(given.Page * 20).Find(&titles)
	// vuln: sql_injection
	a.orm.Table("books").Order(c.Query("order")).Find(&titles)
	order := c.Query("order")
	for _, known := range orders {
		if order == known {
			// safe: sql_injection
			a.orm.Table("books").Order(order).Find(&titles)
		}
	}
	// safe: sql_injection
	a.orm.Exec(fmt.Sprintf("UPDATE searches SET page = %d", given.Page))
	// vuln: open_redirect
	c.Redirect(http.StatusFound, c.Query("next"))
	// safe: open_redirect
	c.Redirect(http.StatusFound, "/api/users/"+c.Query("id"))
}

func (a *API) upload(c *gin.Context) {
	file, err := c.FormFile("cover")
	if err != nil {
		return
	}
	// safe: path_traversal
	c.SaveUploadedFile(file, "/srv/covers/"+file.Filename)
	// vuln: path_traversal
	c.SaveUploadedFile(file, "/srv/covers/"+c.PostForm("folder")+"/cover.png")
}

func hashPassword(password string) string {
	// vuln: weak_hash
	sum := md5.Sum([]byte(password))
	return hex.EncodeToString(sum[:])
}

func newToken() (string, error) {
	token := make([]byte, 16)
	// safe: weak_random
	if _, err := crand.Read(token); err != nil {
		return "", err
	}
	return hex.EncodeToString(token), nil
}

func resetCode() string {
	// vuln: weak_random
	code := fmt.Sprintf("reset_code-%06d", rand.Intn(1000000))
	return code
}

func shuffled(books []string) []string {
	rand.Shuffle(len(books), func(i, j int) {
		books[i], books[j] = books[j], books[i]
	})
	// safe: weak_random
	return books[:rand.Intn(len(books))]
}
