<?php

/** The value of the query, as it came. */
function query_value(string $name, string $default = ''): string
{
    return isset($_GET[$name]) ? trim($_GET[$name]) : $default;
}

function query_number(string $name): int
{
    return intval($_GET[$name] ?? 0);
}

function html($text)
{
    return htmlspecialchars($text, ENT_QUOTES, 'UTF-8');
}

function is_page(string $name): bool
{
    return in_array($name, PAGES, true);
}

function leave_to(string $path): void
{
    header('Location: /' . ltrim($path, '/\\'));
    exit;
}
