import { ApolloServer } from '@apollo/server';
import { Resolver, Query, Arg, Mutation, Ctx } from 'type-graphql';
import knex from 'knex';
import { exec } from 'child_process';
import { Pool } from 'pg';

const pool = new Pool();
const db = knex({ client: 'pg' });

export const resolvers = {
  Query: {
    user: async (_parent: unknown, args: { id: string }, ctx: any) => {
      // vuln: sql_injection
      return pool.query(`SELECT * FROM users WHERE id = '${args.id}'`);
    },
    users: async (_: unknown, { filter, sort }: any, { dataSources }: any) => {
      // vuln: sql_injection
      return db('users').whereRaw(`name like '%${filter}%'`);
    },
    ordered: async (_: unknown, { sort }: any) => {
      // vuln: sql_injection
      return db('users').orderByRaw(sort);
    },
    safeUsers: async (_: unknown, { filter }: any) => {
      // safe: sql_injection
      return db('users').whereRaw('name like ?', [`%${filter}%`]);
    },
    raw: async (_: unknown, { filter }: any) => {
      // vuln: sql_injection
      return db.raw('select * from users where name = ' + filter);
    },
  },
  Mutation: {
    ping: (_: unknown, { host }: { host: string }) => {
      // vuln: command_injection
      exec('ping ' + host);
    },
  },
};

@Resolver()
export class UserResolver {
  @Query(() => [String])
  async find(@Arg('name') name: string) {
    // vuln: sql_injection
    return pool.query("SELECT * FROM users WHERE name = '" + name + "'");
  }
}
new ApolloServer({ typeDefs: '', resolvers });
