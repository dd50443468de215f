<?php

namespace App\Http\Controllers;

use App\Services\ReportStore;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Http;
use Symfony\Component\Process\Process;

class ReportController extends Controller
{
    public function __construct(private ReportStore $store)
    {
    }

    public function index(Request $request)
    {
        $this->store->ordered($request->input('sort', 'created'));
        $this->store->byOwner($request->integer('owner'));
        $table = ReportStore::clean($request->query('table'));
        // safe: sql_injection
        DB::statement("analyze table $table");
        // vuln: sql_injection
        DB::statement('analyze table ' . $request->query('table'));
        return view('reports', ['title' => $request->title]);
    }

    public function show(Request $request)
    {
        $this->store->read($request->get('file'));
        $this->store->readOwn($request->get('file'));
        // vuln: xss
        return response('<h1>' . $request->input('title') . '</h1>');
    }

    public function heading(Request $request)
    {
        // safe: xss
        return response('<h1>' . e($request->input('title')) . '</h1>');
    }

    public function leave(Request $request)
    {
        if ($request->has('to')) {
            // vuln: open_redirect
            return redirect($request->input('to'));
        }
        // safe: open_redirect
        return redirect()->route('reports', ['tab' => $request->input('tab')]);
    }

    public function preview(Request $request)
    {
        $hosts = ['one' => 'https://one.example.com', 'two' => 'https://two.example.com'];
        // vuln: ssrf
        $page = Http::get($request->input('url'));
        // safe: ssrf
        $known = Http::get($hosts[$request->input('host')] ?? $hosts['one']);
        return [$page->status(), $known->status()];
    }

    public function render(Request $request)
    {
        // vuln: command_injection
        $process = Process::fromShellCommandline('pdf ' . $request->input('name'));
        // safe: command_injection
        $other = new Process(['pdf', $request->input('name')]);
        $process->run();
        $other->run();
    }
}
