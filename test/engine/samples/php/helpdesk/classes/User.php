<?php
class User {
    public $name;
    private $db;
    function __construct($db) { $this->db = $db; }
    // vuln: sql_injection
    function find($id) { return $this->db->raw("SELECT * FROM users WHERE id = $id"); }
    function safeFind($id) { return $this->db->run('SELECT * FROM users WHERE id = ?', [$id]); }
    function search() {
        $s = $_REQUEST['s'];
        // vuln: sql_injection
        return $this->db->run("SELECT * FROM users WHERE n LIKE '%" . $s . "%'");
    }
    function __destruct() { }
}
