// Package admin is for the staff.
package admin

import (
	"crypto/tls"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"text/template"

	"github.com/golang-jwt/jwt/v5"
	"github.com/labstack/echo/v4"
)

type console struct {
	db  *sql.DB
	key []byte
}

// Router makes the routes.
func Router(db *sql.DB) http.Handler {
	c := &console{db: db}
	e := echo.New()
	e.GET("/admin/greet", c.greet)
	e.GET("/admin/log", c.log)
	e.GET("/admin/query", c.query)
	return e
}

func (c *console) greet(ctx echo.Context) error {
	name := ctx.QueryParam("name")
	if ctx.QueryParam("plain") == "1" {
		// safe: xss
		return ctx.String(http.StatusOK, "<b>"+name)
	}
	// vuln: xss
	return ctx.HTML(http.StatusOK, "<b>Hello "+name+"</b>")
}

func (c *console) log(ctx echo.Context) error {
	// vuln: path_traversal
	return ctx.File("/var/log/" + ctx.QueryParam("name"))
}

func (c *console) query(ctx echo.Context) error {
	table := ctx.FormValue("table")
	allowed := map[string]bool{"books": true, "users": true}
	if !allowed[table] {
		return errors.New("no such table")
	}
	// safe: sql_injection
	rows, err := c.db.Query("SELECT count(*) FROM " + table)
	if err != nil {
		return err
	}
	rows.Close()
	// vuln: sql_injection
	_, err = c.db.Exec("DELETE FROM " + ctx.Param("table"))
	return err
}

func (c *console) preview(w http.ResponseWriter, r *http.Request) {
	// vuln: ssti
	t, err := template.New("mail").Parse(r.FormValue("template"))
	if err != nil {
		return
	}
	t.Execute(os.Stdout, nil)
	safe, _ := template.New("mail").Parse("<p>{{.}}</p>")
	// vuln: xss
	safe.Execute(w, r.FormValue("body"))
}

func (c *console) subject(text string) (string, error) {
	claims := jwt.MapClaims{}
	// safe: jwt_unverified
	_, err := jwt.ParseWithClaims(text, claims, func(t *jwt.Token) (any, error) {
		if _, ok := t.Method.(*jwt.SigningMethodHMAC); !ok {
			return nil, errors.New("algorithm")
		}
		return c.key, nil
	})
	if err != nil {
		return "", err
	}
	return claims.GetSubject()
}

func peek(text string) (*jwt.Token, error) {
	// vuln: jwt_unverified
	token, _, err := jwt.NewParser().ParseUnverified(text, jwt.MapClaims{})
	return token, err
}

func backend() *http.Client {
	// vuln: tls_verification
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return &http.Client{Transport: transport}
}

func remember(w http.ResponseWriter, id string) {
	// vuln: insecure_cookie
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, HttpOnly: false, Secure: true})
	// safe: insecure_cookie
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode})
}
