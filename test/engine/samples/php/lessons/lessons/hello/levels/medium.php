<?php
if (isset($_GET['name'])) {
    $name = str_replace('<script>', '', $_GET['name']);
    // vuln: xss
    $html .= "<p>Hello {$name}</p>";
}
