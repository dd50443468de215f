import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import { exec } from 'child_process';
import { prisma } from './prisma';
const t = initTRPC.create();
export const router = t.router({
  ping: t.procedure.input(z.object({ host: z.string() })).mutation(({ input }) => {
    // vuln: command_injection
    exec(`ping ${input.host}`);
  }),
  byId: t.procedure.input(z.object({ id: z.number(), name: z.string() })).query(async ({ input, ctx }) => {
    // vuln: sql_injection
    return prisma.$queryRawUnsafe(`SELECT * FROM u WHERE name = '${input.name}'`);
  }),
  typed: t.procedure.input(z.number()).query(async ({ input }) => {
    // safe: sql_injection
    return prisma.$queryRawUnsafe(`SELECT * FROM u WHERE id = ${input}`);
  }),
});
