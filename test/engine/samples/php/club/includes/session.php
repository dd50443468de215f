<?php
session_start();
require_once __DIR__ . '/settings.php';

function current_member()
{
    return $_SESSION['member'] ?? null;
}

function escape($text)
{
    return htmlspecialchars((string) $text, ENT_QUOTES, 'UTF-8');
}

if (current_member() === null) {
    header('Location: login.php');
    exit;
}
