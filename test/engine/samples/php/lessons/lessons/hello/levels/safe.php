<?php
if (isset($_GET['name'])) {
    $name = htmlspecialchars($_GET['name']);
    // safe: xss
    $html .= "<p>Hello {$name}</p>";
}
