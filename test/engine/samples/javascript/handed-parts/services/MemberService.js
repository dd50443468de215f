class MemberService {
  constructor(memberRepository, badges) {
    this.memberRepository = memberRepository;
    this.badges = badges;
  }

  search = async (nick) => this.memberRepository.byNick(nick);

  async one(id) {
    return this.memberRepository.byId(id);
  }

  async badge(colour) {
    return this.badges.inColour(colour);
  }
}

module.exports = MemberService;
