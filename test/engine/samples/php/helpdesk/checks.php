<?php
function h($s) { if ($s !== null) { return htmlspecialchars($s, ENT_QUOTES); } else { return $s; } }
// safe: xss
echo h($_GET['x']);
$data = $_COOKIE['d'];
$mac = hash_hmac('sha256', $data, $key);
if (!hash_equals($mac, $_COOKIE['m'])) { die(); }
// safe: deserialization
$x = unserialize($data);
$other = $_COOKIE['o'];
if (!hash_equals(md5($other), $_COOKIE['m'])) { die(); }
// vuln: deserialization
$x = unserialize($other);
foreach ($_POST as $var => $val) {
    if (preg_match('/^chk_([0-9]+)$/', $var, $m)) {
        // safe: sql_injection
        mysqli_query($c, 'DELETE FROM x WHERE id = ' . $m[1]);
    }
    if (preg_match('/^chk_(.+)$/', $var, $m)) {
        // vuln: sql_injection
        mysqli_query($c, 'DELETE FROM x WHERE id = ' . $m[1]);
    }
}
