<?php
if (isset($_GET['name'])) {
    // vuln: xss
    $html .= '<p>Hello ' . $_GET['name'] . '</p>';
}
