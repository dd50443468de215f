'use server';
import { redirect } from 'next/navigation';
import { db } from '@/lib/db';
import { exec } from 'child_process';
export async function createUser(formData: FormData) {
  const name = formData.get('name') as string;
  // vuln: sql_injection
  await db.query(`INSERT INTO users (name) VALUES ('${name}')`);
  // vuln: open_redirect
  redirect(formData.get('next') as string);
}
export async function runTool(tool: string) {
  // vuln: command_injection
  exec(`tool ${tool}`);
}
