<?php

namespace App\Services;

use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Storage;

class ReportStore
{
    public function ordered(string $column): array
    {
        // vuln: sql_injection
        return DB::table('reports')->orderByRaw("$column desc")->get()->all();
    }

    public function byOwner(int $owner): array
    {
        // safe: sql_injection
        return DB::select("select * from reports where owner = $owner");
    }

    public function read(string $name): string
    {
        // vuln: path_traversal
        return Storage::get('reports/' . $name);
    }

    public function readOwn(string $name): string
    {
        // safe: path_traversal
        return Storage::get('reports/' . basename($name));
    }

    public static function clean(string $text): string
    {
        return preg_replace('/[^A-Za-z0-9_]/', '', $text);
    }
}
