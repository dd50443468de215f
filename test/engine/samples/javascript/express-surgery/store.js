const { Sequelize, DataTypes } = require("sequelize");

const sequelize = new Sequelize(process.env.DATABASE_URL);
const Appointment = sequelize.define("Appointment", { patientId: DataTypes.INTEGER, reason: DataTypes.TEXT });
const Opening = sequelize.define("Opening", { day: DataTypes.STRING, from: DataTypes.STRING });

module.exports = { accounts: require("./accounts"), Appointment, Opening };
