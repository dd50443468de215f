<?php

class Products
{
    private $db;

    public function __construct($connection)
    {
        $this->db = $connection;
    }

    public function byCategory($category)
    {
        // vuln: sql_injection
        $result = mysqli_query($this->db, "SELECT * FROM products WHERE category = '$category'");
        return mysqli_fetch_all($result, MYSQLI_ASSOC);
    }

    public function byId($id)
    {
        // safe: sql_injection
        $result = mysqli_query($this->db, 'SELECT * FROM products WHERE id = ' . (int) $id);
        return mysqli_fetch_assoc($result);
    }

    public function search(string $term)
    {
        // safe: sql_injection
        $statement = mysqli_prepare($this->db, 'SELECT * FROM products WHERE name LIKE ?');
        $like = "%$term%";
        mysqli_stmt_bind_param($statement, 's', $like);
        mysqli_stmt_execute($statement);
        return mysqli_fetch_all(mysqli_stmt_get_result($statement), MYSQLI_ASSOC);
    }

    public function sorted(string $column)
    {
        if (!in_array($column, SORTABLE)) {
            $column = 'name';
        }
        // safe: sql_injection
        $result = mysqli_query($this->db, "SELECT * FROM products ORDER BY $column");
        return mysqli_fetch_all($result, MYSQLI_ASSOC);
    }

    public function cheaperThan($limit)
    {
        $limit = mysqli_real_escape_string($this->db, $limit);
        // vuln: sql_injection
        $result = mysqli_query($this->db, "SELECT * FROM products WHERE price < $limit");
        return mysqli_fetch_all($result, MYSQLI_ASSOC);
    }

    public function named($name)
    {
        $name = mysqli_real_escape_string($this->db, $name);
        // safe: sql_injection
        $result = mysqli_query($this->db, "SELECT * FROM products WHERE name = '$name'");
        return mysqli_fetch_all($result, MYSQLI_ASSOC);
    }
}
