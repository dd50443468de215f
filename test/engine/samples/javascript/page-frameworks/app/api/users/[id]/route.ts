import { NextRequest, NextResponse } from 'next/server';
import { sql } from '@vercel/postgres';
import { db } from '@/lib/db';
import { exec } from 'child_process';
import fs from 'fs/promises';
export async function GET(request: NextRequest, { params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const q = request.nextUrl.searchParams.get('q');
  const { searchParams } = new URL(request.url);
  // vuln: sql_injection
  await db.query(`SELECT * FROM u WHERE id = '${id}'`);
  // vuln: sql_injection
  await db.query(`SELECT * FROM u WHERE q = '${q}'`);
  // safe: sql_injection
  await sql`SELECT * FROM u WHERE id = ${id}`;
  // vuln: path_traversal
  await fs.readFile(`./data/${searchParams.get('file')}`);
  // vuln: xss
  return new NextResponse(`<h1>${q}</h1>`, { headers: { 'Content-Type': 'text/html' } });
}
export async function POST(request: Request) {
  const body = await request.json();
  // vuln: command_injection
  exec('convert ' + body.file);
  // vuln: ssrf
  const r = await fetch(body.url);
  // vuln: open_redirect
  return NextResponse.redirect(body.next);
}
