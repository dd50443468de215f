<?php
function q($sql) {
    global $con;
    return mysqli_query($con, $sql) or die(mysqli_error($con));
}
function clean_nothing($v) { return trim(stripslashes($v)); }
function clean($v) { return htmlspecialchars(trim($v), ENT_QUOTES, 'UTF-8'); }
function param($name, $default = '') {
    if (isset($_GET[$name])) { return $_GET[$name]; }
    elseif (isset($_POST[$name])) { return $_POST[$name]; }
    return $default;
}
function show($text) {
    // vuln: xss
    echo "<p>$text</p>";
}
class Input {
    private $data;
    public function __construct() { $this->data = array_merge($_GET, $_POST); }
    public function get($k, $d = null) { return isset($this->data[$k]) ? $this->data[$k] : $d; }
    public function int($k) { return (int) $this->get($k); }
    public static function post($k) { return isset($_POST[$k]) ? $_POST[$k] : ''; }
}
