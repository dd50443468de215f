import { execFile, exec } from "node:child_process";
import type { APIGatewayProxyEvent, APIGatewayProxyHandler } from "aws-lambda";

export const getUser: APIGatewayProxyHandler = async (event) => {
  // vuln: command_injection
  exec(`id ${event.queryStringParameters?.user}`);
  // safe: command_injection
  execFile("id", [event.queryStringParameters?.user ?? ""]);
  const { name } = JSON.parse(event.body ?? "{}");
  // vuln: xss
  return { statusCode: 200, headers: { "Content-Type": "text/html" }, body: `<p>${name}</p>` };
};

export const listUsers: APIGatewayProxyHandler = async (event) => {
  const { name } = JSON.parse(event.body ?? "{}");
  // safe: xss
  return { statusCode: 200, headers: { "Content-Type": "application/json" }, body: `{"name":"${name}"}` };
};

async function removeUser(request: APIGatewayProxyEvent) {
  // vuln: command_injection
  exec(`userdel ${request.pathParameters?.user}`);
}

export { removeUser };
