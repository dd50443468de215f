<?php

class Controller
{
    protected function model(string $name)
    {
        // safe: file_inclusion
        require_once '../models/' . $name . '.php';
        return new $name();
    }

    protected function view(string $page, array $data = []): void
    {
        // safe: file_inclusion
        require '../views/' . $page . '.php';
    }
}
