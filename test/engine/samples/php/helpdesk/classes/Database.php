<?php
class Database {
    private static $instance;
    protected $pdo;
    public function __construct() { $this->pdo = new PDO('mysql:host=x', 'root', ''); }
    public static function get() { if (!self::$instance) self::$instance = new self(); return self::$instance; }
    public function run($sql, $args = []) {
        $st = $this->pdo->prepare($sql);
        $st->execute($args);
        return $st->fetchAll();
    }
    public function raw($sql) {
        return $this->pdo->query($sql);
    }
}
