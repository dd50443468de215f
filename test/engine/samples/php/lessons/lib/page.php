<?php
if (!defined('ROOT')) {
    die('Not a page.');
}
session_start();

function page_start(array $wants)
{
    if (in_array('member', $wants) && !isset($_SESSION['member'])) {
        header('Location: ' . ROOT . 'login.php');
        exit;
    }
}

function page_show(array $page)
{
    // vuln: xss
    echo "<!DOCTYPE html><html><head><title>{$page['title']}</title></head><body>{$page['body']}</body></html>";
}

function connect()
{
    $GLOBALS['link'] = mysqli_connect('localhost', 'lessons', getenv('LESSONS_PASSWORD'), 'lessons');
}

function check_form($sent, $kept)
{
    if (!is_string($sent) || !hash_equals($kept, $sent)) {
        http_response_code(400);
        exit;
    }
}

function level()
{
    return $_COOKIE['level'] ?? 'safe';
}

function notes()
{
    $shown = '';
    $result = mysqli_query($GLOBALS['link'], 'SELECT author, text FROM notes');
    while ($row = mysqli_fetch_assoc($result)) {
        $author = htmlspecialchars($row['author']);
        $shown .= "<p><b>{$author}</b> {$row['text']}</p>";
    }
    return $shown;
}
