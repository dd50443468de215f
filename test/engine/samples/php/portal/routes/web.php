<?php

use App\Http\Controllers\ReportController;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Route;

Route::get('/reports', [ReportController::class, 'index']);

Route::get('/users/{name}', function ($name) {
    // vuln: sql_injection
    return response()->json(DB::select("select * from users where name = '$name'"));
});

Route::get('/people/{name}', function ($name) {
    // safe: sql_injection
    return response()->json(DB::select('select * from users where name = ?', [$name]));
});
