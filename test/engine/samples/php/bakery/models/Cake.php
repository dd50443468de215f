<?php

class Cake
{
    private Database $db;

    public function __construct()
    {
        $this->db = new Database();
    }

    public function search($term): array
    {
        // vuln: sql_injection
        $this->db->query("SELECT * FROM cakes WHERE name LIKE '%$term%'");
        return $this->db->all();
    }

    public function show($id): array
    {
        // safe: sql_injection
        $this->db->query('SELECT * FROM cakes WHERE id = :id');
        $this->db->bind(':id', $id);
        return $this->db->all();
    }
}
