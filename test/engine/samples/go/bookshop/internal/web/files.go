package web

import (
	"archive/zip"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.org/bookshop/internal/input"
)

const covers = "/srv/covers"

var mirrors = map[string]string{"eu": "https://eu.example.org/", "us": "https://us.example.org/"}

// Cover sends the picture of a book.
func (s *Site) Cover(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	// vuln: path_traversal
	content, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	_ = content
	// safe: path_traversal
	os.ReadFile(filepath.Join(s.root, filepath.Base(name)))
	// safe: path_traversal
	os.Open(filepath.Join(s.root, filepath.Clean("/"+name)))
	full, err := input.Inside(covers, name)
	if err != nil {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	// safe: path_traversal
	http.ServeFile(w, r, full)
	if strings.Contains(name, "..") {
		return
	}
	// safe: path_traversal
	os.Remove(covers + "/" + name)
	// vuln: path_traversal
	http.ServeFile(w, r, "/srv/"+input.Text(r, "other"))
}

// Resize makes a small picture.
func (s *Site) Resize(w http.ResponseWriter, r *http.Request) {
	size := r.FormValue("size")
	// vuln: command_injection
	out, err := exec.Command("sh", "-c", "convert cover.png -resize "+size+" small.png").CombinedOutput()
	if err != nil {
		return
	}
	_ = out
	// safe: command_injection
	exec.Command("convert", "cover.png", "-resize", size, "small.png").Run()
	if err := input.CheckName(size); err != nil {
		return
	}
	// safe: command_injection
	exec.Command("sh", "-c", "convert cover.png -resize "+size+" small.png").Run()
}

// Preview shows a page from elsewhere.
func (s *Site) Preview(w http.ResponseWriter, r *http.Request) {
	target := r.FormValue("url")
	// vuln: ssrf
	answer, err := http.Get(target)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	io.Copy(w, answer.Body)
	// safe: ssrf
	http.Get("https://api.example.org/books/" + target)
	mirror, ok := mirrors[r.FormValue("mirror")]
	if !ok {
		return
	}
	// safe: ssrf
	http.Get(mirror + "status")
	// vuln: ssrf
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "http://"+r.Header.Get("X-Backend")+"/x", nil)
	if err != nil {
		return
	}
	client := &http.Client{}
	client.Do(req)
}

func unpack(archive *zip.Reader, folder string) error {
	for _, file := range archive.File {
		// safe: path_traversal
		out, err := os.Create(filepath.Join(folder, filepath.Base(file.Name)))
		if err != nil {
			return err
		}
		out.Close()
		// vuln: path_traversal
		out, err = os.Create(filepath.Join(folder, file.Name))
		if err != nil {
			return err
		}
		out.Close()
	}
	return nil
}
