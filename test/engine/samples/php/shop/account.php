<?php
require_once 'config.php';
require_once 'lib/input.php';

$pdo = new PDO('mysql:host=localhost;dbname=shop', 'shop', getenv('SHOP_DB_PASSWORD'));

function load_user(PDO $pdo, $mail)
{
    // vuln: sql_injection
    $statement = $pdo->prepare("SELECT * FROM users WHERE mail = '" . $mail . "'");
    $statement->execute();
    return $statement->fetch();
}

function load_user_safely(PDO $pdo, $mail)
{
    // safe: sql_injection
    $statement = $pdo->prepare('SELECT * FROM users WHERE mail = :mail');
    $statement->execute(['mail' => $mail]);
    return $statement->fetch();
}

function quoted(PDO $pdo, $mail)
{
    // safe: sql_injection
    return $pdo->query('SELECT * FROM users WHERE mail = ' . $pdo->quote($mail))->fetch();
}

load_user($pdo, $_POST['mail']);
load_user_safely($pdo, $_POST['mail']);
quoted($pdo, $_POST['mail']);

if (isset($_COOKIE['cart'])) {
    // vuln: deserialization
    $cart = unserialize(base64_decode($_COOKIE['cart']));
    // safe: deserialization
    $other = unserialize($_COOKIE['cart'], ['allowed_classes' => false]);
}

if (isset($_GET['return'])) {
    if (strpos($_GET['return'], 'https://shop.example.com/') === 0) {
        // safe: open_redirect
        header('Location: ' . $_GET['return']);
        exit;
    }
    // vuln: open_redirect
    header('Location: ' . $_GET['return']);
    exit;
}

if (isset($_GET['tab'])) {
    leave_to($_GET['tab']);
}

// vuln: weak_hash
$hash = md5($_POST['password']);
// vuln: weak_random
$resetToken = md5(uniqid(mt_rand()));
// safe: weak_random
$safeToken = bin2hex(random_bytes(20));
// safe: weak_hash
$passwordHash = password_hash($_POST['password'], PASSWORD_DEFAULT);
// vuln: insecure_cookie
setcookie('session_id', $safeToken, 0, '/', '', true, false);
// safe: insecure_cookie
setcookie('session_id', $safeToken, ['httponly' => true, 'secure' => true, 'samesite' => 'Strict']);
