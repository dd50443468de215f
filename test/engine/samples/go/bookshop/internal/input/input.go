// Package input reads requests.
package input

import (
	"errors"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
)

var name = regexp.MustCompile(`^[a-z0-9_-]+$`)

// Text reads a parameter as it is.
func Text(r *http.Request, key string) string {
	return strings.TrimSpace(r.URL.Query().Get(key))
}

// Inside joins a path below a folder.
func Inside(root, path string) (string, error) {
	full := filepath.Join(root, path)
	if !strings.HasPrefix(full, root+string(filepath.Separator)) {
		return "", errors.New("outside")
	}
	return full, nil
}

// CheckName says whether a name has only harmless characters.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return errors.New("bad name")
	}
	return nil
}
