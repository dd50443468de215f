module example.org/bookshop

go 1.24

require (
	github.com/gin-gonic/gin v1.10.0
	github.com/golang-jwt/jwt/v5 v5.2.1
	github.com/labstack/echo/v4 v4.12.0
	gorm.io/gorm v1.25.10
)
