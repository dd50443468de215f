exports.loadUser = async (ctx, next) => {
  ctx.state.theme = ctx.cookies.get("theme");
  ctx.state.started = Date.now();
  await next();
};
