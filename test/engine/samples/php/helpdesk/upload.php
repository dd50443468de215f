<?php
require 'includes/config.php';
$target_path = 'uploads/';
$target_path .= basename($_FILES['uploaded']['name']);
// vuln: unrestricted_upload
if (!move_uploaded_file($_FILES['uploaded']['tmp_name'], $target_path)) {
    echo 'failed';
} else {
    // safe: xss
    echo "{$target_path} succesfully uploaded!";
}
// vuln: unrestricted_upload
copy($_FILES['f']['tmp_name'], './files/' . $_FILES['f']['name']);
$type = $_FILES['p']['type'];
if ($type == 'image/png') {
    // vuln: unrestricted_upload
    move_uploaded_file($_FILES['p']['tmp_name'], 'uploads/' . $_FILES['p']['name']);
}
// vuln: deserialization
$prefs = unserialize($_COOKIE['prefs']);
// vuln: deserialization
$o = unserialize(base64_decode($_POST['o']));
// safe: deserialization
$o = unserialize($_POST['o'], ['allowed_classes' => false]);
// vuln: code_injection
eval('$x = ' . $_GET['expr'] . ';');
// vuln: code_injection
assert("strpos('" . $_GET['f'] . "', '..') === false");
// vuln: code_injection
preg_replace('/(.*)/e', 'strtolower("\\1")', $_GET['s']);
// vuln: code_injection
$fn = $_GET['fn']; $fn($_GET['arg']);
// vuln: code_injection
call_user_func($_GET['cb'], 1);
// vuln: code_injection
$f = create_function('$a', $_GET['body']);
$xml = file_get_contents('php://input');
libxml_disable_entity_loader(false);
$dom = new DOMDocument();
// vuln: xxe
$dom->loadXML($xml, LIBXML_NOENT | LIBXML_DTDLOAD);
// vuln: xxe
$s = simplexml_load_string($xml, 'SimpleXMLElement', LIBXML_NOENT);
// safe: xxe
$s2 = simplexml_load_string($xml);
// vuln: path_traversal
readfile('docs/' . $_GET['doc']);
// safe: path_traversal
readfile('docs/' . basename($_GET['doc']));
$page = $_GET['page'];
if (strpos($page, '..') !== false) { die('no'); }
// vuln: ssrf
echo file_get_contents($_GET['url']);
$ch = curl_init();
// vuln: ssrf
curl_setopt($ch, CURLOPT_URL, $_POST['url']);
// vuln: tls_verification
curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);
curl_exec($ch);
$c2 = curl_init($_POST['feed']);
// vuln: weak_random
$token = md5(uniqid(rand(), true));
// vuln: weak_random
$reset_token = mt_rand();
// vuln: weak_cipher
$e = mcrypt_encrypt(MCRYPT_DES, $key, $_POST['d'], MCRYPT_MODE_ECB);
// vuln: weak_cipher
$e = openssl_encrypt($_POST['d'], 'aes-128-ecb', $key);
$xp = new DOMXPath($dom);
// vuln: xpath_injection
$xp->query("//user[name='" . $_POST['n'] . "']");
$ds = ldap_connect('ldap');
// vuln: ldap_injection
ldap_search($ds, 'dc=x', "(uid={$_GET['uid']})");
// safe: ldap_injection
ldap_search($ds, 'dc=x', '(uid=' . ldap_escape($_GET['uid'], '', LDAP_ESCAPE_FILTER) . ')');
// vuln: command_injection
mail($to, 's', 'b', 'From: x', '-f' . $_POST['from']);
