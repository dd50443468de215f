<?php
class Database {
    private static $instance;
    protected $pdo;
    public function __construct() { $this->pdo = new PDO('mysql:host=x', 'root', ''); }
    public static function get() { if (!self::$instance) self::$instance = new self(); return self::$instance; }
    public function run($sql, $args = []) {
        // todo-vuln: sql_injection
        $st = $this->pdo->prepare($sql);
        $st->execute($args);
        return $st->fetchAll();
    }
    public function raw($sql) {
        // todo-vuln: sql_injection
        return $this->pdo->query($sql);
    }
}
class User {
    public $name;
    private $db;
    function __construct($db) { $this->db = $db; }
    function find($id) { return $this->db->raw("SELECT * FROM users WHERE id = $id"); }
    function safeFind($id) { return $this->db->run('SELECT * FROM users WHERE id = ?', [$id]); }
    function search() {
        $s = $_REQUEST['s'];
        return $this->db->run("SELECT * FROM users WHERE n LIKE '%" . $s . "%'");
    }
    function __destruct() { }
}
