<?php
require_once 'config.php';

function send(string $name): void
{
    header('Content-Type: application/octet-stream');
    // vuln: path_traversal
    readfile(UPLOAD_FOLDER . '/' . $name);
}

function send_safely(string $name): void
{
    $path = realpath(UPLOAD_FOLDER . '/' . $name);
    if ($path === false || !str_starts_with($path, UPLOAD_FOLDER . '/')) {
        http_response_code(404);
        return;
    }
    // safe: path_traversal
    readfile($path);
}

function remove(string $name): void
{
    // safe: path_traversal
    unlink(UPLOAD_FOLDER . '/' . basename($name));
}

function store(): void
{
    $name = $_FILES['picture']['name'];
    // vuln: unrestricted_upload
    move_uploaded_file($_FILES['picture']['tmp_name'], UPLOAD_FOLDER . '/' . $name);
}

function store_safely(): void
{
    $extension = strtolower(pathinfo($_FILES['picture']['name'], PATHINFO_EXTENSION));
    if (!in_array($extension, ['png', 'jpg', 'gif'], true)) {
        die('not a picture');
    }
    // safe: unrestricted_upload
    move_uploaded_file($_FILES['picture']['tmp_name'], UPLOAD_FOLDER . '/' . uniqid() . '.' . $extension);
}

send($_GET['file']);
send_safely($_GET['file']);
remove($_POST['file']);

$size = $_POST['size'];
// vuln: command_injection
exec("convert in.png -resize $size out.png", $output, $code);
// safe: command_injection
exec('convert in.png -resize ' . escapeshellarg($size) . ' out.png', $output, $code);
if (!preg_match('/^\d+x\d+$/', $size)) {
    exit('bad size');
}
// safe: command_injection
system("convert in.png -resize {$size} out.png");

// vuln: ssrf
$feed = file_get_contents($_GET['feed']);
$curl = curl_init();
// vuln: ssrf
curl_setopt($curl, CURLOPT_URL, $_POST['webhook']);
// safe: ssrf
curl_setopt($curl, CURLOPT_URL, 'https://api.example.com/v1/' . rawurlencode($_POST['item']));
// vuln: tls_verification
curl_setopt($curl, CURLOPT_SSL_VERIFYPEER, false);

$document = new DOMDocument();
// vuln: xxe
$document->loadXML(file_get_contents('php://input'), LIBXML_NOENT);
// safe: xxe
$document->loadXML(file_get_contents('php://input'));

// vuln: variable_overwrite
extract($_REQUEST);
